#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh BUILD_ROOT SOURCE_ROOT: installs the build into a temporary folder and builds and
# runs project/ against it in every way that a user has: pkg-config, CMake, a Meson
# subproject, shared and static. Exit status: 0 fine, 1 something failed, 77 all was built
# but there is no OpenCL device to run it on.
set -euo pipefail

build=$(realpath "$1")
source=$(realpath "$2")
project=$source/tests/consumer/project
read -ra cc <<<"${CC:-cc}"
read -ra cxx <<<"${CXX:-c++}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/obj"

# Nothing is read from or left in the user's caches.
export CLSM_CACHE=off POCL_CACHE_DIR=$work/pocl

user_path=${LD_LIBRARY_PATH:-}

failed=0
no_device=0

# step WHAT COMMAND...: run it and say how it went
step() {
    local what=$1 status=0
    shift
    "$@" >"$work/log" 2>&1 || status=$?
    case $status in
    0) echo "ok       $what" ;;
    77)
        echo "ok       $what, not run: no OpenCL device"
        no_device=1
        ;;
    *)
        echo "FAILED   $what"
        sed 's/^/         | /' "$work/log"
        failed=1
        ;;
    esac
}

skip() {
    echo "skipped  $1"
}

have() {
    command -v "$1" >/dev/null
}

# use PREFIX: look for the library there from now on
use() {
    pc=$(find "$1" -name clsoftmax.pc -print -quit)
    export PKG_CONFIG_PATH=${pc%/*}
    libdir=$(pkg-config --variable=libdir clsoftmax)
    export LD_LIBRARY_PATH=$libdir:$user_path
}

flags() {
    pkg-config "$@" clsoftmax
}

# The tree stands below $work/dest and not in the prefix it was configured for, so its .pc
# file is told so, as a packager's tools would.
install_build() {
    DESTDIR=$work/dest meson install -C "$build" --no-rebuild &&
        pc=$(find "$work/dest" -name clsoftmax.pc -print -quit) &&
        staged=$work/dest$(sed -n 's/^prefix=//p' "$pc") &&
        sed -i "s|^prefix=.*|prefix=$staged|" "$pc" &&
        ln -s "$staged" "$work/staged"
}

header_as_c() {
    # shellcheck disable=SC2046 # the flags are words
    echo '#include <clsoftmax.h>' |
        "${cc[@]}" -std=c11 -pedantic -Wall -Wextra -Werror $(flags --cflags) \
            -x c -fsyntax-only -
}

header_as_cxx() {
    # shellcheck disable=SC2046
    printf '#include <clsoftmax.h>\nint main() { return clsm_version()[0] == 0; }\n' |
        "${cxx[@]}" -std=c++11 -pedantic -Wall -Wextra -Werror $(flags --cflags) \
            -x c++ - -o "$work/obj/cxx" $(flags --libs) &&
        "$work/obj/cxx"
}

# Only clsm_ names, besides those that some linkers add, and the soname with its number.
symbols() {
    local others
    others=$(nm -D --defined-only "$libdir/libclsoftmax.so" | awk '{ print $NF }' |
        grep -vE '^(clsm_.*|_init|_fini|_end|_edata|__bss_start)$' || true)
    [ -z "$others" ] || { echo "exported too: $others" && return 1; }
    readelf -d "$libdir/libclsoftmax.so" | grep -E 'SONAME.*libclsoftmax\.so\.[0-9]+\]'
}

# with_pkg_config [--static]
with_pkg_config() {
    # shellcheck disable=SC2046
    "${cc[@]}" "$project/main.c" -o "$work/obj/consumer" $(flags --cflags --libs "$@") &&
        "$work/obj/consumer"
}

# with_cmake TARGET; the folder is named, for CMake does not look into every libdir that
# Meson may have been given
with_cmake() {
    rm -rf "$work/cmake"
    cmake -G Ninja -S "$project" -B "$work/cmake" -DVERSION="$(flags --modversion)" \
        -DTARGET="$1" -Dclsoftmax_DIR="$libdir/cmake/clsoftmax" &&
        cmake --build "$work/cmake" &&
        "$work/cmake/consumer"
}

# One build serves three ends: the subproject, its running, and a static library to install.
as_subproject() {
    mkdir -p "$work/outer/subprojects" &&
        cp "$project/meson.build" "$project/main.c" "$work/outer" &&
        ln -s "$source" "$work/outer/subprojects/clsoftmax" &&
        meson setup "$work/inner" "$work/outer" --wrap-mode=forcefallback \
            --prefix="$work/both" -Dclsoftmax:default_library=both &&
        ninja -C "$work/inner" &&
        meson install -C "$work/inner" --no-rebuild &&
        only_the_library &&
        LD_LIBRARY_PATH=$work/inner/subprojects/clsoftmax/src:$user_path \
            "$work/inner/consumer"
}

# A subproject brings no tools, tests or examples along.
only_the_library() {
    [ ! -e "$work/both/bin" ] &&
        ! find "$work/inner" -type f -perm /111 ! -name 'consumer' ! -name '*.so*' \
            ! -path '*/meson-private/*' | grep .
}

# has_licence PREFIX
has_licence() {
    find "$1" -path '*/doc/clsoftmax/LICENSE' -exec cmp {} "$source/LICENSE" \; -print | grep .
}

drop_shared() {
    find "$work/both" -name 'libclsoftmax.so*' -delete
}

step "install" install_build
[ $failed = 0 ] || exit 1
use "$(realpath "$work/staged")"

step "the licence comes along" has_licence "$work/dest"
step "the header alone is strict C11" header_as_c
if have "${cxx[0]}"; then
    step "a C++ program links" header_as_cxx
else
    skip "a C++ program: no ${cxx[0]}"
fi
if [ -e "$libdir/libclsoftmax.so" ]; then
    step "the shared library exports clsm_ names only" symbols
fi
step "a program through pkg-config" with_pkg_config
if have cmake; then
    step "a program through CMake" with_cmake clsoftmax::clsoftmax
else
    skip "a program through CMake: no cmake"
fi

step "a Meson subproject" as_subproject
[ -d "$work/both" ] || exit 1
step "the licence comes along with a subproject" has_licence "$work/both"
use "$work/both"
drop_shared
step "a static program through pkg-config" with_pkg_config --static
if have cmake; then
    step "a static program through CMake" with_cmake clsoftmax::clsoftmax_static
fi

[ $failed = 0 ] || exit 1
[ $no_device = 0 ] || exit 77
