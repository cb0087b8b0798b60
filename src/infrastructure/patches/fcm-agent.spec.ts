import { randomUUID } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { Agent } from 'node:https';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import { currentRequestGate, FcmAgent } from './fcm-agent';

/** An agent without the patch. The first request loses its connection, when FCM may have the push already. */
class UnpatchedAgent extends Agent {
  requestCount = 0;

  override addRequest(request: ClientRequest): void {
    this.requestCount += 1;
    const code = this.requestCount === 1 ? 'ECONNRESET' : 'ECONNREFUSED';
    process.nextTick(() => request.emit('error', Object.assign(new Error(code), { code })));
  }
}

async function pushOver(httpAgent: Agent): Promise<unknown> {
  const credential = { getAccessToken: () => Promise.resolve({ access_token: 'token', expires_in: 3_600 }) };
  const app = initializeApp({ projectId: 'demo', credential, httpAgent }, randomUUID());
  try {
    return await getMessaging(app).send({ token: 'phone' });
  } finally {
    await deleteApp(app);
  }
}

describe('firebase-admin', () => {
  it('retries a push after a lost connection; if this fails, the patch can be removed', async () => {
    const agent = new UnpatchedAgent();
    await expect(pushOver(agent)).rejects.toThrow('ECONNREFUSED');
    expect(agent.requestCount).toBe(2);
  });

  it('neither sends nor retries a request that the gate rejects', async () => {
    const accept = jest.fn(() => false);
    const push = currentRequestGate.run({ accept }, () => pushOver(new FcmAgent()));
    await expect(push).rejects.toThrow('Retries by the SDK are disabled');
    expect(accept).toHaveBeenCalledTimes(1);
  });
});
