# install: libraries, headers, command line, scenes, completion, pkg-config files, CMake package.
# The package and the pkg-config files find their prefix from where they lie, so the tree can be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)
set(shared shoal)
set(static shoal_static)
if(SHOAL_FILES)
    list(APPEND shared shoal_files)
    list(APPEND static shoal_files_static)
endif()

# Static libraries name what they need (threads, libfyaml); they are a set of their own, so that users of the
# shared ones need none of it installed.
install(TARGETS ${shared} EXPORT shoal-targets)
install(TARGETS ${static} EXPORT shoal-static-targets)
install(EXPORT shoal-targets NAMESPACE shoal:: DESTINATION ${package_dir})
install(EXPORT shoal-static-targets NAMESPACE shoal:: DESTINATION ${package_dir})
install(DIRECTORY include/shoal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
configure_package_config_file(cmake/shoal-config.cmake.in ${PROJECT_BINARY_DIR}/shoal-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/shoal-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/shoal-config.cmake ${PROJECT_BINARY_DIR}/shoal-config-version.cmake
    DESTINATION ${package_dir})

file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(library ${shared})
    configure_file(cmake/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(SHOAL_FILES)
    install(TARGETS shoal_cli)
    install(FILES apps/cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME shoal)
    install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/shoal FILES_MATCHING PATTERN "*.yaml")
endif()
