# What a new user does with the packages, in a clean root. Prints one line for each step.
npm() { NODE_COMPILE_CACHE=/opt/npm-compiled node /opt/npm/bin/npm-cli.js --cache /opt/npm-cache --prefix /prefix --no-update-notifier "$@"; }
code() { set +e; "$@"; echo "code $?"; set -e; }

if command -v cc gcc clang git; then echo 'the root is not clean'; fi
npm install -g --offline --ignore-scripts /packages/spool-[0-9]*.tgz /packages/spool-linux-*-gnu-*.tgz >/opt/npm-said 2>&1
ls /prefix/bin
code spool run -- sh -c 'echo hi; exit 3'
script -qec "spool run -n attached -- sh -c 'exit 4'" /dev/null </dev/null | grep -o 'session attached ended, exit code 4'
id=$(spool run -d -n kept -- cat)
spool send kept hello --enter
spool daemon restart --json >/dev/null
spool ls --json | grep -o '"state":"running"' || true
spool web --json >/opt/web
node -e "
  const { url } = JSON.parse(require('fs').readFileSync('/opt/web', 'utf8'));
  fetch(new URL('/', url)).then(async (answer) => console.log('page', answer.status, /<title>/.test(await answer.text())));"
echo "doctor: $(spool doctor --json | node -e "
  const findings = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  console.log(findings.filter(({ level }) => level === 'fail').map(({ check, says }) => check + ' ' + says).join('; ') || 'well')")"
spool daemon stop --force >/dev/null
npm uninstall -g spool $(ls /prefix/lib/node_modules/@spool | sed 's,^,@spool/,') >/dev/null 2>&1
echo "prefix: $(find /prefix -type f -o -type l | sort)"
echo "home: $(ls -A /home/user) $(ls /home/user/.local) $(ls /home/user/.local/state)"
echo "elsewhere: $(ls -A /tmp) $(ls -A /etc)"
