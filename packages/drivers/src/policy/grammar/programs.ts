/** Programs whose harmless options are known, as data. They are GNU programs on Linux; git is in `git.ts`. */
import type { Grammar } from './grammar.ts';

const WHEN = '{always,yes,force,never,no,none,auto,tty,if-tty}';
const PRECISION = '{date,hours,minutes,seconds,ns}';

const SUMS: Grammar = {
  options: '-b -t -z --binary --text --tag --zero',
  operands: 'PATH*',
};

export const PROGRAMS: Readonly<Record<string, Grammar>> = {
  true: { options: '', operands: '' },
  false: { options: '', operands: '' },
  pwd: { options: '-L -P', operands: '' },
  whoami: { options: '', operands: '' },
  nproc: { options: '--all', operands: '' },
  uname: {
    options:
      '-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --operating-system',
    operands: '',
  },
  id: { options: '-a -G -g -n -r -u --group --groups --name --real --user', operands: 'WORD?' },
  // For echo, words after an unknown option are text, but such a line is easily misread.
  echo: { options: '-n -e -E', operands: 'TEXT*' },
  printf: { options: '', operands: 'FORMAT TEXT*' },
  basename: { options: '-a -z -s=TEXT --multiple --zero --suffix=TEXT', operands: 'TEXT TEXT*' },
  dirname: { options: '-z --zero', operands: 'TEXT TEXT*' },
  seq: { options: '-w -s=TEXT --equal-width --separator=TEXT', operands: 'NUM NUM? NUM?' },
  date: {
    options:
      `-u -R -I[=${PRECISION}] -d=TIME -r=PATH --utc --universal --rfc-email --iso-8601[=${PRECISION}] --rfc-3339={date,seconds,ns} ` +
      '--date=TIME --reference=PATH',
    operands: 'DATE?',
  },
  ls: {
    options:
      '-a -A -b -B -c -C -d -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R! -s -S -t -u -U -v -x -X -1 ' +
      `-w=NUM -I=TEXT -T=NUM --all --almost-all --author --escape --color[=${WHEN}] --directory --classify[=${WHEN}] --file-type ` +
      '--format={across,commas,horizontal,long,single-column,verbose,vertical} --full-time --group-directories-first --no-group --human-readable --si --inode --ignore=TEXT --hide=TEXT ' +
      '--indicator-style={none,slash,file-type,classify} --numeric-uid-gid --literal --quote-name ' +
      '--quoting-style={literal,locale,shell,shell-always,shell-escape,shell-escape-always,c,escape} --reverse --recursive! --size ' +
      '--sort={none,size,time,version,extension,name,width} --time={atime,access,use,ctime,status,birth,creation,mtime,modification} ' +
      '--time-style=TEXT --width=NUM --dereference --block-size=WORD --zero',
    operands: 'PATH*',
    readsFolder: true,
  },
  cat: {
    options:
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    operands: 'PATH*',
  },
  nl: { options: '-b=TEXT -n=WORD -s=TEXT -v=NUM -w=NUM', operands: 'PATH*' },
  head: {
    options: '-NUM -n=NUM -c=NUM -q -v -z --lines=NUM --bytes=NUM --quiet --silent --verbose --zero-terminated',
    operands: 'PATH*',
  },
  // -f is left out: an agent gets no result from a command that never ends.
  tail: {
    options: '-NUM -n=NUM -c=NUM -q -v -z --lines=NUM --bytes=NUM --quiet --silent --verbose --zero-terminated',
    operands: 'PATH*',
  },
  wc: { options: '-c -m -l -L -w --bytes --chars --lines --max-line-length --words', operands: 'PATH*' },
  grep: {
    options:
      '-NUM -a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r! -R! -s -T -U -v -w -x -y -z -Z -A=NUM -B=NUM -C=NUM -m=NUM ' +
      '-e=TEXT -f=PATH -D={skip} -d={read,skip,recurse}! --after-context=NUM --before-context=NUM --context=NUM --max-count=NUM --regexp=TEXT ' +
      '--file=PATH --include=TEXT --exclude=TEXT --exclude-dir=TEXT --exclude-from=PATH --devices={skip} ' +
      `--binary-files={binary,text,without-match} --directories={read,skip,recurse}! --color[=${WHEN}] --colour[=${WHEN}] ` +
      '--label=TEXT --text --byte-offset --count --extended-regexp ' +
      '--fixed-strings --basic-regexp --perl-regexp --no-filename --with-filename --ignore-case --no-ignore-case ' +
      '--files-with-matches --files-without-match --line-number --only-matching --quiet --silent --recursive! ' +
      '--dereference-recursive! --no-messages --initial-tab --binary --invert-match --word-regexp --line-regexp --null-data --null ' +
      '--line-buffered',
    operands: 'ARG*',
  },
  rg: {
    options:
      '-a -b -c -F -H -I -i -l -L -n -N -o -p -P -q -s -S -u -U -v -w -x -0 -A=NUM -B=NUM -C=NUM -d=NUM -e=TEXT -E=WORD -f=PATH ' +
      '-g=TEXT -j=NUM -m=NUM -M=NUM -r=TEXT -t=WORD -T=WORD --after-context=NUM --before-context=NUM --context=NUM --max-depth=NUM ' +
      '--max-count=NUM --max-columns=NUM --regexp=TEXT --encoding=WORD --file=PATH --glob=TEXT --iglob=TEXT --type=WORD ' +
      '--type-not=WORD --replace=TEXT --sort={none,path,modified,accessed,created} ' +
      '--sortr={none,path,modified,accessed,created} --color={never,auto,always,ansi} --colors=WORD --context-separator=TEXT --threads=NUM ' +
      '--text --byte-offset --count --count-matches --column --no-column --fixed-strings --with-filename --no-filename ' +
      '--ignore-case --case-sensitive --smart-case --files-with-matches --files-without-match --follow --line-number ' +
      '--no-line-number --only-matching --passthru --pcre2 --pretty --quiet --unrestricted --multiline --multiline-dotall ' +
      '--invert-match --word-regexp --line-regexp --null --hidden --no-hidden --no-ignore --no-ignore-vcs --no-heading --heading ' +
      '--json --stats --trim --vimgrep --files --type-list --no-messages --line-buffered --no-config --no-pre',
    operands: 'ARG*',
    readsUnnamed: true,
    readsFolder: true,
  },
  find: {
    options:
      '-H -L -P -maxdepth=NUM -mindepth=NUM -depth -mount -xdev -follow -daystart -noleaf -ignore_readdir_race ' +
      '-warn -nowarn -regextype={emacs,posix-awk,posix-basic,posix-egrep,posix-extended,egrep,grep,sed} ' +
      '-name=TEXT -iname=TEXT -path=TEXT -ipath=TEXT -wholename=TEXT -iwholename=TEXT -regex=TEXT ' +
      '-iregex=TEXT -lname=TEXT -ilname=TEXT -type=WORD -xtype=WORD -size=NUM -empty -newer=PATH -anewer=PATH -cnewer=PATH ' +
      '-newermt=TIME -newerct=TIME -amin=NUM -cmin=NUM -mmin=NUM -atime=NUM -ctime=NUM -mtime=NUM -perm=TEXT -user=WORD -group=WORD ' +
      '-uid=NUM -gid=NUM -links=NUM -inum=NUM -samefile=PATH -readable -writable -executable -nouser -nogroup -true -false -prune ' +
      '-quit -print -print0 -ls -printf=TEXT -a -and -o -or -not',
    operands: 'PATH*',
    isExpression: true,
    readsFolder: true,
    readsUnnamed: true,
    onlyNames: true,
  },
  // -m is left out, because it creates temporary files. A sort of more than fits into memory creates them too, but without -T in
  // the user's own folder for them.
  sort: {
    options:
      '-b -c -C -d -f -g -h -i -M -n -r -R -s -u -V -z -k=WORD -t=TEXT --ignore-leading-blanks --check[={quiet,silent,diagnose-first}] --dictionary-order ' +
      '--ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --reverse ' +
      '--random-sort --stable --unique --version-sort --zero-terminated --key=WORD --field-separator=TEXT ' +
      '--sort={general-numeric,human-numeric,month,numeric,random,version} --debug',
    operands: 'PATH*',
  },
  // A second operand would be written.
  uniq: {
    options:
      '-c -d -D -i -u -z -f=NUM -s=NUM -w=NUM --count --repeated --ignore-case --unique --zero-terminated --skip-fields=NUM ' +
      '--skip-chars=NUM --check-chars=NUM --all-repeated[={none,prepend,separate}] --group[={separate,prepend,append,both}]',
    operands: 'PATH?',
  },
  cut: {
    options:
      '-b=WORD -c=WORD -d=TEXT -f=WORD -n -s -z --bytes=WORD --characters=WORD --delimiter=TEXT --fields=WORD --complement ' +
      '--only-delimited --output-delimiter=TEXT --zero-terminated',
    operands: 'PATH*',
  },
  tr: {
    options: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
    operands: 'TEXT TEXT?',
  },
  comm: { options: '-1 -2 -3 -z --total --zero-terminated --output-delimiter=TEXT', operands: 'PATH PATH' },
  paste: { options: '-d=TEXT -s -z --delimiters=TEXT --serial', operands: 'PATH*' },
  fold: { options: '-b -s -w=NUM --bytes --spaces --width=NUM', operands: 'PATH*' },
  stat: {
    options: '-L -f -t -c=TEXT --dereference --file-system --terse --format=TEXT --printf=TEXT',
    operands: 'PATH PATH*',
  },
  // -z is left out because it starts programs that unpack, and -C because it writes.
  file: {
    options:
      '-b -h -i -k -L -N -r --brief --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference',
    operands: 'PATH PATH*',
  },
  du: {
    options:
      '-a -b -c -h -H -k -L -l -m -P -s -S -x -0 -d=NUM --all --apparent-size --bytes --total --dereference --max-depth=NUM ' +
      '--human-readable --si --summarize --separate-dirs --one-file-system --exclude=TEXT ' +
      '--time[={atime,access,use,ctime,status}] --block-size=WORD --null',
    operands: 'PATH*',
    readsFolder: true,
  },
  df: {
    options:
      '-a -B=WORD -h -H -i -k -l -P -T -t=WORD -x=WORD --all --block-size=WORD --human-readable --si --inodes --local --no-sync ' +
      '--output[=WORD] --portability --total --print-type --type=WORD --exclude-type=WORD',
    operands: 'PATH*',
  },
  realpath: {
    options:
      '-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks ' +
      '--zero --relative-to=PATH --relative-base=PATH',
    operands: 'PATH PATH*',
  },
  readlink: {
    options:
      '-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent ' +
      '--verbose --zero',
    operands: 'PATH PATH*',
  },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha256sum: SUMS,
  sha512sum: SUMS,
  cksum: { options: '', operands: 'PATH*' },
  // -l is left out, because it starts pr.
  diff: {
    options:
      '-NUM -q -s -c -C=NUM -u -U=NUM -e -n -y -W=NUM -p -F=TEXT -t -T -r! -N -i -E -Z -b -w -B -I=TEXT -a -d -x=TEXT -S=TEXT ' +
      '--normal --brief --report-identical-files --context[=NUM] --unified[=NUM] --ed --rcs --side-by-side --width=NUM ' +
      '--left-column --suppress-common-lines --show-c-function --show-function-line=TEXT --label=TEXT --expand-tabs --initial-tab ' +
      '--recursive! --no-dereference --new-file --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change ' +
      '--ignore-all-space --ignore-blank-lines --ignore-matching-lines=TEXT --text --strip-trailing-cr --minimal ' +
      `--speed-large-files --exclude=TEXT --color[=${WHEN}]`,
    operands: 'PATH PATH',
    readsUnnamed: true,
  },
  cmp: {
    options: '-b -i=WORD -l -n=NUM -s --print-bytes --ignore-initial=WORD --verbose --bytes=NUM --quiet --silent',
    operands: 'PATH PATH? NUM? NUM?',
  },
};
