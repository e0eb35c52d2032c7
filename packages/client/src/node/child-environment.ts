/**
 * The environment of a new session: the variables that programs need to find the user's files, and those that were requested.
 *
 * It is an allow-list, because the caller's environment is full of private values: secrets of a CI job, the terminal it runs in,
 * the settings of the Node or npm that runs us, and the variables of an outer spool session. Keeps RUN-1: the child gets
 * allow-listed and requested variables, and no others.
 */
const ALLOWED: ReadonlySet<string> = new Set(
  [
    // Who and where
    'HOME USER LOGNAME SHELL PATH TMPDIR TZ HOSTNAME MAIL LANG LANGUAGE',
    // Programs of choice
    'EDITOR VISUAL PAGER BROWSER LESS MANPATH INFOPATH',
    // Agents and desktop
    'SSH_AUTH_SOCK SSH_AGENT_PID GNUPGHOME DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS',
    // Network
    'http_proxy https_proxy ftp_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY NO_PROXY ALL_PROXY',
    // Certificates: programs need them behind a proxy that opens TLS
    'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO',
    'GIT_SSL_CAPATH PIP_CERT UV_NATIVE_TLS UV_SYSTEM_CERTS AWS_CA_BUNDLE CARGO_HTTP_CAINFO DENO_CERT DENO_TLS_CA_STORE',
    'HTTPLIB2_CA_CERTS PERL_LWP_SSL_CA_FILE COMPOSER_CAFILE BUNDLE_SSL_CA_CERT CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE',
    // Colours; TERM and COLORTERM are set for each session
    'COLORFGBG NO_COLOR LS_COLORS',
    // Where tools live
    'VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT RBENV_ROOT ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR NVM_DIR NVM_BIN',
    'FNM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR CARGO_HOME RUSTUP_HOME GOPATH GOROOT GOBIN JAVA_HOME MAVEN_HOME',
    'GRADLE_USER_HOME ANDROID_HOME DOTNET_ROOT HOMEBREW_PREFIX NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE DOCKER_HOST',
    'KUBECONFIG WSL_DISTRO_NAME WSL_INTEROP',
  ].flatMap((names) => names.split(' ')),
);

/** The additional variables for installers and builds of a task. */
export const TASK_VARIABLES: readonly string[] = ['CI', 'NODE_ENV', 'npm_config_*', 'NPM_CONFIG_*'];

const ALLOWED_PREFIXES = ['LC_', 'XDG_'] as const;

/**
 * Returns the allowed part of `env`, the variables that `patterns` names (`AWS_*`), and all of `extra`. A name in `extra` without a
 * value takes the caller's value, if there is one: an explicit request is not a leak.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string | undefined>> = {},
  patterns: readonly string[] = [],
): Record<string, string> {
  const wanted = patterns.map((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`));
  const isWanted = (name: string): boolean => !isOurs(name) && wanted.some((pattern) => pattern.test(name));
  const passed = Object.entries(env).filter(([name]) => isAllowed(name) || isWanted(name));
  const asked = Object.entries(extra).map(([name, value]) => [name, value ?? env[name]] as const);
  return Object.fromEntries([...passed, ...asked].filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Returns all variables, except those that describe the caller's own terminal and session. */
export function inheritedEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return childEnvironment(env, {}, ['*']);
}

/** Returns whether the session gets its own value, even if a pattern like `*` names it. */
function isOurs(name: string): boolean {
  return ['SPOOL_SESSION', 'SPOOL_SOCKET', 'TERM', 'COLORTERM', 'TERMCAP', 'LINES', 'COLUMNS'].includes(name);
}

function isAllowed(name: string): boolean {
  return ALLOWED.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix));
}
