import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import type { AppOptions } from 'firebase-admin/app';
import { FcmAgent } from '../../src/infrastructure/patches/fcm-agent';

export const FAKE_PROJECT = 'demo-project';

/** One push as FCM received it. */
export interface ReceivedPush {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  /** Byte for byte. */
  readonly body: string;
}

interface PushBody {
  message: { token: string; data: Record<string, string> };
}

/** The message of a push. */
export const messageOf = ({ body }: ReceivedPush) => (JSON.parse(body) as PushBody).message;

/** What a phone reads from a push. */
export const smsDataOf = (push: ReceivedPush) =>
  JSON.parse(messageOf(push).data.smsData ?? '{}') as Record<string, unknown>;

/** How FCM answers: with a status and a body, or by leaving the connection in some way. */
export type FcmAnswer = { status: number; body: unknown } | 'silence' | 'cut' | 'cut in the answer';

export const taken = (): FcmAnswer => ({
  status: 200,
  body: { name: `projects/${FAKE_PROJECT}/messages/1` },
});

export const refusal = (status: number, code: string, message = code, errorCode?: string): FcmAnswer => ({
  status,
  body: {
    error: {
      code: status,
      message,
      status: code,
      ...(errorCode && {
        details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }],
      }),
    },
  },
});

/** FCM on this machine, over plain HTTP; reached by the real firebase-admin through `options`. */
export class FakeFcm {
  readonly received: ReceivedPush[] = [];

  answer: (push: ReceivedPush) => FcmAnswer | Promise<FcmAnswer> = taken;

  /** How signing in fails, if it does. */
  signInFailure?: Error;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('request', (request, response) => {
      this.take(request, response);
    });
  }

  static async start(): Promise<FakeFcm> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The fake FCM does not listen');
    return new FakeFcm(server, address.port);
  }

  /** @param port another port than the fake's: where nobody listens. */
  options(port = this.port): AppOptions {
    return {
      projectId: FAKE_PROJECT,
      credential: {
        getAccessToken: () =>
          this.signInFailure
            ? Promise.reject(this.signInFailure)
            : Promise.resolve({ access_token: 'token-of-the-service', expires_in: 3_600 }),
      },
      httpAgent: new PlainAgent(port),
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const push = {
        method: request.method ?? '',
        path: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        body: Buffer.concat(chunks).toString(),
      };
      this.received.push(push);
      void Promise.resolve(this.answer(push)).then((answer) => {
        this.reply(response, answer);
      });
    });
  }

  private reply(response: ServerResponse, answer: FcmAnswer): void {
    if (answer === 'silence') return;
    if (answer === 'cut') {
      response.destroy();
      return;
    }
    if (answer === 'cut in the answer') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"name":', () => response.destroy());
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  }
}

/** The production's own way to FCM, but for where it leads and that it needs no certificate. */
class PlainAgent extends FcmAgent {
  constructor(private readonly port: number) {
    super();
  }

  override createConnection(): net.Socket {
    return net.connect(this.port, '127.0.0.1');
  }
}
