import { readSmsCommand } from 'messaging-gateway-phone';
import {
  FakeFcm,
  type FcmResponse,
  messageOf,
  type ReceivedPush,
  fcmError,
  smsDataOf,
  accepted,
} from '../support/fake-fcm';
import type { SeededRandom } from './seeded-random';
import type { PushEvidence } from './evidence';
import type { FcmPhone } from './phones';

const UNAVAILABLE_RATE = 0.03;
const LATE_DISCONNECT_RATE = 0.02;
const DISCONNECT_RATE = 0.01;

/** A fake FCM that refuses some pushes, those to lost tokens for good, and disconnects during others. */
export class ChaosFcm {
  /** The pushes of messages that it answered with a broken connection. */
  readonly pushesInDoubt: PushEvidence[] = [];
  private readonly phones: FcmPhone[] = [];

  private constructor(
    private readonly fcm: FakeFcm,
    private readonly random: SeededRandom,
  ) {
    fcm.respond = (push) => this.respond(push);
  }

  static async start(random: SeededRandom): Promise<ChaosFcm> {
    return new ChaosFcm(await FakeFcm.start(), random);
  }

  get port(): number {
    return this.fcm.port;
  }

  deliverTo(phone: FcmPhone): void {
    this.phones.push(phone);
  }

  stop(): Promise<void> {
    return this.fcm.stop();
  }

  private respond(push: ReceivedPush): FcmResponse {
    const { token } = messageOf(push);
    const phone = this.phones.find((each) => each.token === token);
    if (!phone) return fcmError(404, 'NOT_FOUND', 'Requested entity was not found.', 'UNREGISTERED');
    if (!phone.isPushAvailable || this.random.happens(UNAVAILABLE_RATE)) return fcmError(503, 'UNAVAILABLE');
    // Other pushes are heartbeat checks.
    const command = readSmsCommand(smsDataOf(push));
    const isReceived = !this.random.happens(DISCONNECT_RATE);
    if (isReceived && command) phone.receivePush(command);
    if (isReceived && !this.random.happens(LATE_DISCONNECT_RATE)) return accepted();
    if (command) this.pushesInDoubt.push({ smsId: command.smsId, device: phone.device });
    return 'disconnect';
  }
}
