import { readSmsCommand } from '../../tools/virtual-phone/wire';
import {
  FakeFcm,
  type FcmResponse,
  messageOf,
  type ReceivedPush,
  fcmError,
  smsDataOf,
  accepted,
} from '../support/fake-fcm';
import type { Chance } from './chance';
import type { FcmPhone } from './phones';

const UNAVAILABLE_RATE = 0.03;
const TAKEN_AND_CUT_RATE = 0.02;
const CUT_RATE = 0.01;

/** FCM for the phones of a run: it takes most pushes, and some in ways that leave the sender in doubt. */
export class FcmStandIn {
  private readonly phones = new Map<string, FcmPhone>();

  private constructor(
    private readonly fcm: FakeFcm,
    private readonly chance: Chance,
  ) {
    fcm.respond = (push) => this.answer(push);
  }

  static async start(chance: Chance): Promise<FcmStandIn> {
    return new FcmStandIn(await FakeFcm.start(), chance);
  }

  get port(): number {
    return this.fcm.port;
  }

  deliverTo(token: string, phone: FcmPhone): void {
    this.phones.set(token, phone);
  }

  stop(): Promise<void> {
    return this.fcm.stop();
  }

  private answer(push: ReceivedPush): FcmResponse {
    if (this.chance.happens(UNAVAILABLE_RATE)) return fcmError(503, 'UNAVAILABLE');
    if (this.chance.happens(CUT_RATE)) return 'disconnect';
    const command = readSmsCommand(smsDataOf(push));
    // What is no SMS is a probe.
    if (command) this.phones.get(messageOf(push).token)?.take(command);
    return this.chance.happens(TAKEN_AND_CUT_RATE) ? 'disconnect' : accepted();
  }
}
