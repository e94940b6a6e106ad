# install: libraries, headers, command line, pkg-config files, CMake package.
install(DIRECTORY include/shoal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS shoal shoal_static EXPORT shoal-targets)
