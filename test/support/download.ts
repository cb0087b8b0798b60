import { get, type IncomingHttpHeaders } from 'node:http';

export interface Download {
  /** 0 if the connection was reset before anything was received. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Whether the response ended properly. */
  readonly isComplete: boolean;
}

/** Downloads a file, also one that breaks off. */
export function download(url: string, headers: Record<string, string>): Promise<Download> {
  return new Promise((resolve, reject) => {
    const call = get(url, { headers }, (answer) => {
      const { statusCode: status = 0, headers: received } = answer;
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', () => undefined);
      answer.once('close', () => {
        resolve({ status, headers: received, text, isComplete: answer.complete });
      });
    });
    call.once('error', (failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'ECONNRESET') reject(failure);
      else resolve({ status: 0, headers: {}, text: '', isComplete: false });
    });
  });
}
