#!/bin/sh
# Builds the service in a clone of the repository, and installs it with what it needs in the given folder.
set -eu
target=$1
cd "$(dirname "$0")/../../.."
npm ci --no-audit --no-fund
npm run build
mkdir -p "$target"
target=$(cd "$target" && pwd)
for name in http core server validator validator-service; do
  npm pack --silent --pack-destination "$target" --workspace "packages/$name"
done
cd "$target"
echo '{ "private": true }' >package.json
npm install --no-audit --no-fund ./*.tgz
rm ./*.tgz
