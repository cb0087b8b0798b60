import { ClientRequest, get, IncomingMessage } from 'node:http';

/** The raw text of a phone stream or of an event stream. */
export class RawStream {
  text = '';
  isOpen = true;

  private constructor(
    private readonly call: ClientRequest,
    readonly answer: IncomingMessage,
  ) {
    answer.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    answer.on('close', () => (this.isOpen = false));
    answer.on('error', () => (this.isOpen = false));
  }

  static open(
    { url, apiKey }: { readonly url: string; readonly apiKey: string },
    device: string,
  ): Promise<RawStream> {
    return RawStream.request(`${url}/api/v1/gateway/devices/${device}/stream`, { 'x-api-key': apiKey });
  }

  /** Opens the event stream of an account. */
  static openEvents(url: string, headers: Readonly<Record<string, string>>): Promise<RawStream> {
    return RawStream.request(`${url}/api/v1/events`, headers);
  }

  /** Opens a stream of the app SMSGate. @param apiUrl of the app. */
  static openOfApp(apiUrl: string, token: string): Promise<RawStream> {
    return RawStream.request(`${apiUrl}/events`, { authorization: `Bearer ${token}` });
  }

  private static request(url: string, headers: Readonly<Record<string, string>>): Promise<RawStream> {
    return new Promise((resolve, reject) => {
      const call = get(url, { headers }, (answer) => {
        resolve(new RawStream(call, answer));
      });
      call.on('error', reject);
    });
  }

  /** The data of the events of this name, in order. */
  eventsOf(name: string): unknown[] {
    return [...this.text.matchAll(new RegExp(`^event: ${name}\\ndata: (.*)\\n`, 'gm'))].map(
      ([, data = '']) => JSON.parse(data) as unknown,
    );
  }

  /** The ids of the messages received so far, in order. */
  get receivedIds(): string[] {
    return [...this.text.matchAll(/^data: (.*"smsId".*)\n/gm)].map(
      (match) => (JSON.parse(match[1] ?? '') as { smsId: string }).smsId,
    );
  }

  /** The ids of the messages in cancel requests, in order. */
  get cancelledIds(): string[] {
    return [...this.text.matchAll(/^event: cancel\ndata: (.*)\n/gm)].flatMap(
      (match) => (JSON.parse(match[1] ?? '') as { smsIds: string[] }).smsIds,
    );
  }

  /** Stops reading; what the service sends stays in the buffers of both sides. */
  pause(): void {
    this.answer.pause();
  }

  resume(): void {
    this.answer.resume();
  }

  close(): void {
    this.call.destroy();
  }
}
