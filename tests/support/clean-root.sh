#!/bin/sh
# Runs a script in a root of its own, made of this machine's files: a shell, a few tools, Node and npm, no compiler, no git, no
# network, no npm cache. The root has /home/user, /prefix and /packages; all other folders are read only or empty.
# Usage, in a mount and pid namespace: clean-root.sh ROOT NODE PACKAGES SCRIPT
set -eu
root=$1 node=$2 packages=$3 script=$4
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")

mkdir -p "$root"/usr/bin "$root"/opt/bin "$root"/opt/npm "$root"/proc "$root"/dev "$root"/tmp "$root"/etc \
  "$root"/home/user "$root"/prefix "$root"/packages
ln -s usr/bin "$root/bin"
for name in sh env readlink cat ls stty sleep find sort script mkdir grep sed uname; do
  cp -L "$(command -v "$name")" "$root/usr/bin/$name"
done
for folder in /lib /lib64 /usr/lib /usr/lib64; do
  if [ -L "$folder" ]; then
    cp -P "$folder" "$root$folder"
  elif [ -d "$folder" ]; then
    mkdir -p "$root$folder"
    mount --bind -o ro "$folder" "$root$folder"
  fi
done
: >"$root/opt/bin/node"
mount --bind "$node" "$root/opt/bin/node"
mount --bind -o ro "$npm" "$root/opt/npm"
mount --bind -o ro "$packages" "$root/packages"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
echo 'user:x:0:0::/home/user:/bin/sh' >"$root/etc/passwd"
cp "$script" "$root/opt/script"

exec env -i PATH=/prefix/bin:/opt/bin:/usr/bin:/bin HOME=/home/user SHELL=/bin/sh TERM=xterm LANG=C.UTF-8 \
  "$(command -v unshare)" --net "$(command -v sh)" -c '"$0" link set lo up && exec "$@"' "$(command -v ip)" \
  "$(command -v chroot)" "$root" /bin/sh -eu /opt/script
