/** What `npm start` has come to know of the service it started. */
export interface StartResult {
  /** What it answered to the key; undefined where it has not answered. */
  readonly status: number | undefined;
  /** How long it was waited for. */
  readonly waitedMs: number;
  readonly url: string;
  /** Where phones reach it, if they do. */
  readonly urlForPhones: string | undefined;
  /** Where the key is kept; undefined where BOOTSTRAP_API_KEY has it. */
  readonly keyFile: string | undefined;
}

/** What to tell whoever typed `npm start`. Never the key itself: a screen is looked at by many. */
export function startMessage(started: StartResult): string {
  const { status, waitedMs, url, keyFile } = started;
  if (status === 200) return welcome(started);
  if (status === 401) {
    const key = keyFile === undefined ? 'the key in BOOTSTRAP_API_KEY' : `the key in ${keyFile}`;
    return `
The database has accounts, but ${key} opens none of them: no virtual phone is paired.
Make a key, put it into .env as BOOTSTRAP_API_KEY=mgw_…, and start again:

  npm run admin -- key create --full
`;
  }
  if (status === undefined) {
    return `
The service has not answered at ${url} within ${waitedMs / 1_000} seconds: no virtual phone is paired.
What holds it up stands above. HOST, if it is set, must be an address of this machine.
`;
  }
  return `
${url} answers ${status}: no virtual phone is paired.
What is wrong stands above, or another program has this port; PORT takes another one.
`;
}

function welcome({ url, urlForPhones, keyFile }: StartResult): string {
  const key = keyFile === undefined ? '<the key in BOOTSTRAP_API_KEY>' : `$(cat ${keyFile})`;
  const forPhones =
    urlForPhones === undefined ? '' : `For phones in the same network: ${urlForPhones}/api/v1\n`;
  return `
Every call, to try out: ${url}/docs
${forPhones}To send a message:

  curl ${url}/api/v1/gateway/send-sms \\
    -H "x-api-key: ${key}" -H 'content-type: application/json' \\
    -d '{"message": "Hello", "recipients": ["+447700900123"]}'

or 25 with a progress bar: npm run demo
`;
}
