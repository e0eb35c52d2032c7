#!/bin/sh
# A stand-in for `systemctl --user` with the documented semantics (systemd.service(5), systemd.kill(5)) as far as spool.service uses
# them: a oneshot that remains has no main process; `stop` signals all processes of the unit, unless KillMode=process.
# FAKE_SYSTEMD is the folder of its state, with a list of calls.
set -eu
units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
unit=$units/spool.service
setting() { sed -n "s/^$1=//p" "$unit"; }
while [ "${1#--}" != "$1" ]; do shift; done
echo "$*" >>"$FAKE_SYSTEMD/calls"
start() {
  [ "$(setting Type)" = oneshot ] && [ "$(setting RemainAfterExit)" = yes ]
  # The words of ExecStart are quoted as in a shell here.
  eval "$(setting ExecStart)" >/dev/null
  echo active >"$FAKE_SYSTEMD/active"
}
stop() {
  rm -f "$FAKE_SYSTEMD/active"
  [ "$(setting KillMode)" = process ] && return
  for process in /proc/[0-9]*; do
    if grep -qs "SPOOL_HOME=$SPOOL_HOME" "$process/environ"; then kill -KILL "${process#/proc/}" 2>/dev/null || true; fi
  done
}
case $1 in
  show-environment) ;;
  daemon-reload) ;;
  enable) touch "$FAKE_SYSTEMD/enabled" ;;
  disable) rm -f "$FAKE_SYSTEMD/enabled" ;;
  is-enabled) if [ -e "$FAKE_SYSTEMD/enabled" ]; then echo enabled; else echo disabled; exit 1; fi ;;
  is-active) if [ -e "$FAKE_SYSTEMD/active" ]; then echo active; else echo inactive; exit 3; fi ;;
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
  *) exit 2 ;;
esac
