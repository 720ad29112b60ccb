#!/bin/sh
# Puts promtool, which checks alerts and expressions, at the path $1: the one that is installed, or
# the one in Debian's package `prometheus`. The package itself is not installed: it would start a
# server. No root is needed where apt's lists are there.
set -eu
if found=$(command -v promtool); then
  ln -sf "$found" "$1"
  exit
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
  echo "promtool is missing: install Prometheus 2.42 or newer, so that promtool is in PATH" >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder" # apt downloads as a user of its own
target=$(realpath -m "$1")
cd "$folder"
apt-get download -qq prometheus 2>/dev/null ||
  { apt-get update -qq && apt-get download -qq prometheus; } || {
  echo "promtool is missing and cannot be downloaded: as root, apt-get update; then try again" >&2
  exit 1
}
dpkg-deb --fsys-tarfile prometheus_*.deb | tar --extract ./usr/bin/promtool
touch usr/bin/promtool # now, for make
mv usr/bin/promtool "$target"
