#!/bin/sh
# Runs the steps of the Containerfile in an empty folder, with the files of the last commit, and asks the service whether it is ready.
set -eu
folder=$(mktemp -d)
trap 'kill "$service" 2>/dev/null || true; rm -rf "$folder"' EXIT
service=
mkdir "$folder/src" "$folder/data"
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
git -C "$root" archive HEAD | tar -x -C "$folder/src"
sh "$folder/src/packages/validator-service/deploy/install.sh" "$folder/app"
cd "$folder"
env -i PATH="$PATH" PORT=0 DATA_DIR="$folder/data" NODE_ENV=production \
  node app/node_modules/@schemakit/validator-service/bin/schemakit-validator.js >first-line 2>log &
service=$!
until [ -s first-line ]; do
  kill -0 "$service" || { cat log; exit 1; }
  sleep 0.2
done
url=$(node -p 'JSON.parse(require("node:fs").readFileSync("first-line", "utf8")).url')
curl --fail --silent "$url/readyz"
curl --fail --silent --output /dev/null "$url/"
curl --fail --silent --output /dev/null --header 'content-type: application/json' --data '{ "url": "http://127.0.0.1:1" }' "$url/api/assess"
kill "$service"
wait "$service"
echo
du -sh app
