#!/bin/sh
# Installs what an agent needs first: git, curl with certificates, and a compiler with make. What is there is not installed
# again, so a base that has it all needs no network.
set -eu

missing=
for program in git curl make cc; do
    command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done

if [ -z "$missing" ]; then
    echo "nothing to install"
elif command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update
    apt-get -q install --yes --no-install-recommends ca-certificates curl git make gcc libc6-dev
    apt-get clean
    rm -rf /var/lib/apt/lists/*
elif command -v apk >/dev/null 2>&1; then
    apk add --no-cache ca-certificates curl git make gcc musl-dev
elif command -v dnf >/dev/null 2>&1; then
    dnf --assumeyes --setopt=install_weak_deps=False install ca-certificates git make gcc glibc-devel
    command -v curl >/dev/null 2>&1 || dnf --assumeyes install curl
    dnf clean all
elif command -v microdnf >/dev/null 2>&1; then
    microdnf --assumeyes install ca-certificates git make gcc glibc-devel
    command -v curl >/dev/null 2>&1 || microdnf --assumeyes install curl
    microdnf clean all
else
    echo "the base image has neither apt-get nor apk, dnf or microdnf, and lacks:$missing" >&2
    exit 1
fi

# An agent runs as the owner of its workspace, whoever that is.
mkdir -p /home/maestro /workspace
chmod 1777 /home/maestro
git --version
rm -f /tmp/maestro-install.sh
