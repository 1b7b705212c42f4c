#!/usr/bin/env bash
# Runs a program in the content of an image, as a container engine does: ROOT is the read-only root of the program, which
# is process 1 of its own process namespace and sees no file of the machine. VOLUME is mounted at /data. The environment
# has the given variables only. Root drops to USER (UID:GID); anybody else is root in a user namespace of their own.
#
#   container.sh ROOT VOLUME USER NAME=VALUE... -- PROGRAM ARGUMENT...
#
# A signal for the program has to be sent to the process group.
set -euo pipefail

if [ "${CONTAINER_NAMESPACES-}" != made ]; then
  flags=(--mount --pid --fork --kill-child)
  [ "$(id -u)" -eq 0 ] || flags+=(--user --map-root-user)
  CONTAINER_USER=$(id -u) CONTAINER_NAMESPACES=made exec unshare "${flags[@]}" bash "$0" "$@"
fi

root=$1 volume=$2 user=$3
shift 3
variables=()
while [ "$1" != -- ]; do
  variables+=("$1")
  shift
done
shift

mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --bind "$volume" "$root/data"
mount -o remount,bind,ro "$root"
identity=()
[ "$CONTAINER_USER" -ne 0 ] || identity=(--userspec="$user")
cd "$root"
exec env -i "${variables[@]}" "$(command -v chroot)" ${identity[@]+"${identity[@]}"} "$root" "$@"
