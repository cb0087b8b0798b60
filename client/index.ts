import { createClient, createConfig } from './generated/client';
import { MessagingGateway } from './generated';

export * from './generated';

/**
 * A request without a complete response: no connection, a connection that broke, also during the response, or an
 * aborted `signal`. The service may have carried it out.
 */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';

  constructor(url: string, cause: unknown) {
    super(`no response from ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Creates a client for the account of an API key. Operations return `{ data, response }`, or `{ error, response }`
 * for an error response, and throw `NoResponse` without a complete response.
 * @param url the base URL, such as `https://sms.example.com`; with or without `/api/v1`.
 */
export function connect(url: string, apiKey: string): MessagingGateway {
  const baseUrl = url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  const client = createClient(createConfig({ baseUrl, headers: { 'x-api-key': apiKey } }));
  client.interceptors.error.use((error, response: Response | undefined) => {
    // Otherwise the caller would receive it as an error response.
    if (response === undefined) throw new NoResponse(baseUrl, error);
    return error;
  });
  client.interceptors.response.use((response) => {
    failWithNoResponse(response, baseUrl);
    return response;
  });
  return new MessagingGateway({ client });
}

/** The generated client reads the body outside its error handling. */
function failWithNoResponse(response: Response, url: string): void {
  for (const name of ['text', 'blob', 'arrayBuffer', 'formData'] as const) {
    const read: () => Promise<unknown> = response[name].bind(response);
    const value = () =>
      read().catch((cause: unknown) => {
        throw new NoResponse(url, cause);
      });
    Object.defineProperty(response, name, { value });
  }
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { cause } = failure;
  if (!(cause instanceof Error)) return failure.message;
  return cause.message || ('code' in cause ? String(cause.code) : failure.message);
}
