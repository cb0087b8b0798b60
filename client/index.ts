import { createClient, createConfig } from './generated/client';
import { MessagingGateway } from './generated';

export * from './generated';

/** There was no answer to a call: no connection, a broken one, or its `signal` was aborted. It may have been done. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Opens an account with its API key. Every operation answers `{ data, response }`, or `{ error, response }` when the
 * service refused it. It throws `NoResponse` when there was none.
 *
 * @param url where the service is, such as `https://sms.example.com`; with or without `/api/v1`.
 */
export function connect(url: string, apiKey: string): MessagingGateway {
  const baseUrl = url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  const client = createClient(createConfig({ baseUrl, headers: { 'x-api-key': apiKey } }));
  client.interceptors.error.use((error, response: Response | undefined) => {
    // Without this it would be handed over as what the service has answered.
    if (response === undefined) throw new NoResponse(baseUrl, error);
    return error;
  });
  return new MessagingGateway({ client });
}

/** `fetch` says only that it failed; why stands in the cause, which for several addresses has no text but a code. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { cause } = failure;
  if (!(cause instanceof Error)) return failure.message;
  return cause.message || ('code' in cause ? String(cause.code) : failure.message);
}
