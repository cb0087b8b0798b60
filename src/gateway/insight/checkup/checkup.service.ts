import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { Clock } from '../../../common/clock';
import { DAY_MS } from '../../../common/durations';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { DevicesRepository } from '../../../devices/store/devices.repository';
import { PhoneFactsReader } from '../../../devices/problems/phone-facts.service';
import type { LoopRun } from '../../loop-tests/loop-test.schema';
import { LoopTestsService } from '../../loop-tests/loop-tests.service';
import { type Check, checkupOf, type CheckupFacts } from './checkup';
import { CheckupRepository } from './checkup.repository';

/** Older messages tell nothing about the phone as it is now. */
const RECENT_MS = 7 * DAY_MS;
const MAX_RECENT_MESSAGES = 200;

export interface Checkup {
  readonly at: Date;
  readonly checks: readonly Check[];
}

/** Checks a phone by what is stored of it; nothing is sent to it. */
@Injectable()
export class CheckupService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly phones: PhoneFactsReader,
    private readonly messages: CheckupRepository,
    private readonly loopTests: LoopTestsService,
    private readonly clock: Clock,
  ) {}

  /** @throws DeviceNotFound */
  async checkUp(account: AccountScope, id: Types.ObjectId): Promise<Checkup> {
    const device = await this.devices.find(account, id);
    if (!device) throw new DeviceNotFound();
    const at = this.clock.now();
    const since = new Date(at.getTime() - RECENT_MS);
    const [[facts], recent, loopRun] = await Promise.all([
      this.phones.of(account, [device]),
      this.messages.listRecent(account, id, since, MAX_RECENT_MESSAGES),
      this.loopTests.lastRun(account),
    ]);
    if (!facts) throw new DeviceNotFound();
    return { at, checks: checkupOf({ ...facts, recent, ...loopTextOf(loopRun, id) }) };
  }
}

function loopTextOf(run: LoopRun | undefined, device: Types.ObjectId): Pick<CheckupFacts, 'loopText'> {
  const leg = run?.legs.find(({ toDevice }) => toDevice.equals(device));
  return run && leg ? { loopText: { ...leg, startedAt: run.startedAt } } : {};
}
