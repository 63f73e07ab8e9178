# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Shared by the scripts here: find what is missing, install it, build. Packages are named as
# Debian names them; what is there already, from wherever it came, is left alone.

# For --help: what stands at the head of the script that was called.
case "${1-}" in
-h | --help)
    sed -n '4,/^set/s/^# \{0,1\}//p' "scripts/${0##*/}"
    exit
    ;;
esac

missing=()
apt_updated=no

say() {
    printf '\n== %s\n' "$*"
}

# need PACKAGE COMMAND...: the package is missing if the command fails
need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

have() {
    command -v "$1"
}

has_header() {
    echo "#include <$1>" | cc -E -
}

# Meson's own Python runs the tests, and on Debian that is the system's.
has_python_module() {
    local python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    "$python" -c "import $1"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

can_install() {
    have apt-get >/dev/null && { [ "$(id -u)" = 0 ] || have sudo >/dev/null; }
}

# Quiet but for errors. Another process may hold the lock on a machine that has just
# started: wait for it.
apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 "$@" </dev/null >/dev/null
}

# install_packages PACKAGE...: status 1, with a sentence, if that cannot be done
install_packages() {
    if ! can_install; then
        echo "please install (these are Debian's names): $*" >&2
        return 1
    fi
    say "installing $*"
    if [ $apt_updated = no ]; then
        apt_get update || echo "apt-get update failed; going on with what is known" >&2
        apt_updated=yes
    fi
    apt_get install -y --no-install-recommends "$@"
}

install_missing() {
    local packages=("${missing[@]}")
    missing=()
    [ ${#packages[@]} = 0 ] || install_packages "${packages[@]}"
}

# If they do not all install, then one by one: one package keeps no other away.
install_missing_optional() {
    local package packages=("${missing[@]}")
    missing=()
    [ ${#packages[@]} -gt 0 ] || return 0
    if install_packages "${packages[@]}" || ! can_install; then
        return 0
    fi
    for package in "${packages[@]}"; do
        install_packages "$package" || echo "going on without $package" >&2
    done
}

# Without dpkg-architecture, Meson would install into lib64, where nothing on Debian looks.
knows_libdir() {
    [ ! -e /etc/debian_version ] || have dpkg-architecture
}

# Only the simulated machine asks for it, which other processors do not have.
has_sanitizer() {
    [ "$(uname -m)" != x86_64 ] ||
        { have clang && [ -e "$(clang -print-file-name=libclang_rt.asan-x86_64.so)" ]; }
}

install_build_needs() {
    need gcc have cc
    need libc6-dev has_header stdio.h
    need dpkg-dev knows_libdir
    need meson have meson
    need ninja-build have ninja
    need pkg-config have pkg-config
    need ocl-icd-opencl-dev pkg-config --exists OpenCL
    need opencl-headers has_header CL/cl.h
    need libcjson-dev pkg-config --exists libcjson
    install_missing
}

install_test_needs() {
    need check pkg-config --exists check
    install_missing
    need cmake have cmake
    need g++ have c++
    need clang have clang
    need libclang-rt-dev has_sanitizer
    need python3-numpy has_python_module numpy
    need python3-scipy has_python_module scipy
    need python3-torch has_python_module torch
    need python3-matplotlib has_python_module matplotlib
    # two headers and a link each: the libraries themselves come with python3-torch
    need libdnnl-dev has_header oneapi/dnnl/dnnl.h
    need libxnnpack-dev has_header xnnpack.h
    need libpthreadpool-dev has_header pthreadpool.h
    install_missing_optional
}

# build [MESON-OPTION...]: configured once, reused afterwards
build() {
    say "building"
    if [ ! -f build/build.ninja ]; then
        meson setup build "$@"
    elif [ $# -gt 0 ]; then
        meson configure build "$@"
    fi
    ninja -C build
}

# A machine without any OpenCL device gets one: its CPU, through PoCL.
ensure_device() {
    local status=0
    build/tools/clsoftmax devices >/dev/null 2>&1 || status=$?
    [ $status = 77 ] || return 0
    say "no OpenCL device found"
    install_packages pocl-opencl-icd || echo "going on without an OpenCL device" >&2
}
