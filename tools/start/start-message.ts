export interface StartResult {
  /** The response to the key; undefined without a response. */
  readonly status: number | undefined;
  readonly waitedMs: number;
  readonly url: string;
  readonly urlForPhones: string | undefined;
  /** Undefined if the key is in BOOTSTRAP_API_KEY. */
  readonly keyFile: string | undefined;
}

/** Without the key, because a terminal is visible to others. */
export function startMessage(started: StartResult): string {
  const { status, waitedMs, url, keyFile } = started;
  if (status === 200) return welcome(started);
  if (status === 401) {
    const key = keyFile === undefined ? 'the key in BOOTSTRAP_API_KEY' : `the key in ${keyFile}`;
    return `
The database has accounts, but ${key} belongs to none of them: no virtual phone is paired.
Create a key, set it in .env as BOOTSTRAP_API_KEY=mgw_…, and restart:

  npm run admin -- key create --full
`;
  }
  if (status === undefined) {
    return `
The service has not responded at ${url} within ${waitedMs / 1_000} seconds: no virtual phone is paired.
See the log above. HOST, if set, must be an address of this computer.
`;
  }
  return `
${url} responds with ${status}: no virtual phone is paired.
See the log above. If another program uses the port, set PORT.
`;
}

function welcome({ url, urlForPhones, keyFile }: StartResult): string {
  const key = keyFile === undefined ? '<the key in BOOTSTRAP_API_KEY>' : `$(cat ${keyFile})`;
  const forPhones =
    urlForPhones === undefined ? '' : `For phones in the same network: ${urlForPhones}/api/v1\n`;
  return `
API documentation: ${url}/docs
${forPhones}To send a message:

  curl ${url}/api/v1/gateway/send-sms \\
    -H "x-api-key: ${key}" -H 'content-type: application/json' \\
    -d '{"message": "Hello", "recipients": ["+447700900123"]}'

To send 25 messages with a progress bar: npm run demo
`;
}
