import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import type { AppOptions } from 'firebase-admin/app';
import { FcmAgent } from '../../src/infrastructure/patches/fcm-agent';

export const FAKE_PROJECT = 'demo-project';

/** A request that the fake received. */
export interface ReceivedPush {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

interface PushBody {
  message: { token: string; data: Record<string, string> };
}

export const messageOf = ({ body }: ReceivedPush) => (JSON.parse(body) as PushBody).message;

/** The payload that the phone reads from a push. */
export const smsDataOf = (push: ReceivedPush) =>
  JSON.parse(messageOf(push).data.smsData ?? '{}') as Record<string, unknown>;

/** A response with status and body, or a failure of the connection. */
export type FcmResponse =
  { status: number; body: unknown } | 'no response' | 'disconnect' | 'disconnect in body';

export const accepted = (): FcmResponse => ({
  status: 200,
  body: { name: `projects/${FAKE_PROJECT}/messages/1` },
});

export const fcmError = (status: number, code: string, message = code, errorCode?: string): FcmResponse => ({
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

/** A fake FCM server over plain HTTP; firebase-admin connects to it with `options`. */
export class FakeFcm {
  readonly received: ReceivedPush[] = [];

  respond: (push: ReceivedPush) => FcmResponse | Promise<FcmResponse> = accepted;

  /** Error of the access token request, if it fails. */
  signInFailure?: Error;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('request', (request, response) => {
      this.handle(request, response);
    });
  }

  static async start(): Promise<FakeFcm> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The fake FCM does not listen');
    return new FakeFcm(server, address.port);
  }

  /** @param port another port, to simulate that FCM is unreachable. */
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

  private handle(request: IncomingMessage, response: ServerResponse): void {
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
      void Promise.resolve(this.respond(push)).then((answer) => {
        this.send(response, answer);
      });
    });
  }

  private send(response: ServerResponse, answer: FcmResponse): void {
    if (answer === 'no response') return;
    if (answer === 'disconnect') {
      response.destroy();
      return;
    }
    if (answer === 'disconnect in body') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"name":', () => response.destroy());
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  }
}

/** The production agent, but over plain HTTP to the fake. */
class PlainAgent extends FcmAgent {
  constructor(private readonly port: number) {
    super();
  }

  override createConnection(): net.Socket {
    return net.connect(this.port, '127.0.0.1');
  }
}
