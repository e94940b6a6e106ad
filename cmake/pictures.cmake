# Embree and OpenEXRCore, the C interfaces of what pictures need. Linked by name, so that the installed package asks for
# no CMake module of theirs.
function(shoal_find_pictures target header folder library what package)
    find_path(${target}_include ${header} PATH_SUFFIXES ${folder})
    find_library(${target}_library ${library})
    if(NOT ${target}_include OR NOT ${target}_library)
        message(FATAL_ERROR "${what} is missing: Shoal's pictures need it. script/bootstrap installs it (Debian: ${package}); "
            "-DSHOAL_FILES=OFF builds the simulation core without files and pictures.")
    endif()
    add_library(${target} INTERFACE)
    target_include_directories(${target} SYSTEM INTERFACE ${${target}_include})
    target_link_libraries(${target} INTERFACE ${library})
endfunction()
shoal_find_pictures(shoal_embree embree3/rtcore.h include embree3 "Embree 3, the ray tracer," libembree-dev)
shoal_find_pictures(shoal_exr openexr.h OpenEXR OpenEXRCore "OpenEXR 3.1, linear pictures," libopenexr-dev)
