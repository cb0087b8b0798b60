import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { FieldErrors } from '../../common/errors';
import { parseId } from '../../common/http/requests/id.pipe';
import { idsOf } from '../../common/documents';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import { SimsRepository } from '../../devices/sims/sims.repository';
import { SimsService } from '../../devices/sims/sims.service';
import { LoopTestRunner } from './loop-test-runner.service';
import { newNonce, nextNightAt } from './loop-test-rules';
import type { LoopLeg, LoopRun, LoopTest } from './loop-test.schema';
import { LoopTestNotSetUp, LoopTestRunning } from './loop-tests.errors';
import { LoopTestsRepository } from './loop-tests.repository';

export interface LoopTestInput {
  /** Two, or none; a number is stored in the SIM. */
  readonly sims: readonly { readonly id: string; readonly phoneNumber?: string }[];
  readonly nightly: boolean;
  /** UTC. */
  readonly nightlyHour: number;
}

export interface LoopTestView extends Pick<LoopTest, 'nightlyHour' | 'nextRunAt'> {
  /** In the order of the settings, without those that were deleted. */
  readonly sims: readonly SimRecord[];
  /** With the results until now. */
  readonly run?: LoopRun;
}

const DEFAULT_NIGHTLY_HOUR = 3;
const MAX_NIGHTLY_STARTS = 100;

/** Texts between two SIMs of an account, which show that both send and receive. */
@Injectable()
export class LoopTestsService {
  constructor(
    private readonly tests: LoopTestsRepository,
    private readonly runner: LoopTestRunner,
    private readonly simRecords: SimsRepository,
    private readonly sims: SimsService,
    private readonly clock: Clock,
  ) {}

  async get(account: AccountScope): Promise<LoopTestView> {
    const test = await this.tests.find(account);
    if (!test) return { sims: [], nightlyHour: DEFAULT_NIGHTLY_HOUR };
    const { run, nightlyHour, nextRunAt } = test;
    const legs = run && !run.endedAt ? await this.currentLegs(account, run) : run?.legs;
    return {
      sims: await this.simsOf(account, test.sims),
      nightlyHour,
      ...(nextRunAt && { nextRunAt }),
      ...(run && legs && { run: { ...run, legs } }),
    };
  }

  /** The last run, if it has ended and the tests were not ended since. */
  async lastRun(account: AccountScope): Promise<LoopRun | undefined> {
    const { sims = [], run } = (await this.tests.find(account)) ?? {};
    return sims.length > 0 && run?.endedAt ? run : undefined;
  }

  /** @throws ValidationFailed */
  async setUp(account: AccountScope, { sims, nightly, nightlyHour }: LoopTestInput): Promise<LoopTestView> {
    const ids = sims.map(({ id }) => parseId(id));
    const found = await this.simsOf(
      account,
      ids.flatMap((id) => id ?? []),
    );
    const errors = new FieldErrors();
    if (sims.length === 1) errors.add('sims', 'must name two SIMs, or none');
    if (nightly && sims.length === 0) errors.add('sims', 'must name two SIMs for nightly tests');
    const chosen = sims.map(({ phoneNumber }, index) => {
      const sim = found.find(({ _id }) => ids[index]?.equals(_id));
      if (!sim) errors.add(`sims.${index}.id`, 'is not a SIM of the account');
      const number = phoneNumber ?? sim?.phoneNumber;
      if (sim && number === undefined)
        errors.add(`sims.${index}.phoneNumber`, 'is needed: the phone does not tell the number of this SIM');
      return { sim, number };
    });
    const [one, other] = chosen;
    if (one?.sim && one.sim === other?.sim) errors.add('sims.1.id', 'must be another SIM');
    else if (other?.number !== undefined && one?.number === other.number)
      errors.add('sims.1.phoneNumber', 'must be another number');
    errors.throwIfAny();
    for (const [index, { phoneNumber }] of sims.entries()) {
      const sim = chosen[index]?.sim;
      if (sim && phoneNumber !== undefined && phoneNumber !== sim.phoneNumber)
        await this.sims.update(account, sim._id, { phoneNumber });
    }
    await this.tests.setUp(account, {
      sims: chosen.flatMap(({ sim }) => (sim ? idsOf([sim]) : [])),
      nightlyHour,
      ...(nightly && { nextRunAt: nextNightAt(this.clock.now(), nightlyHour) }),
    });
    return this.get(account);
  }

  /** @throws LoopTestNotSetUp, LoopTestRunning */
  async start(account: AccountScope): Promise<LoopTestView> {
    const test = await this.tests.find(account);
    const run = test && (await this.newRun(account, test));
    if (!run) throw new LoopTestNotSetUp();
    if (!(await this.tests.start(account, run))) throw new LoopTestRunning();
    await this.runner.advance(account, run);
    return this.get(account);
  }

  /** Starts the nightly runs that are due. Safe to run in several processes. */
  async startNightly(): Promise<void> {
    const now = this.clock.now();
    for (const test of await this.tests.listNightlyDue(now, MAX_NIGHTLY_STARTS)) {
      const run = await this.newRun(accountScope(test.user), test);
      await this.tests.startNightly(test, nextNightAt(now, test.nightlyHour), run);
    }
  }

  /** @returns undefined unless both SIMs are in phones and have numbers. */
  private async newRun(account: AccountScope, test: LoopTest): Promise<LoopRun | undefined> {
    const [one, other] = await this.simsOf(account, test.sims);
    if (!one || !other) return undefined;
    const legs = [newLeg(one, other), newLeg(other, one)].flatMap((leg) => leg ?? []);
    if (legs.length < 2) return undefined;
    return { id: new Types.ObjectId(), startedAt: this.clock.now(), legs };
  }

  private currentLegs(account: AccountScope, run: LoopRun): Promise<LoopLeg[]> {
    return Promise.all(
      run.legs.map(async (leg) => ({ ...leg, ...(await this.runner.outcomeOf(account, run, leg)) })),
    );
  }

  /** In the order of the ids. */
  private async simsOf(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<SimRecord[]> {
    if (ids.length === 0) return [];
    const found = await this.simRecords.findMany(account, ids);
    return ids.flatMap((id) => found.find(({ _id }) => _id.equals(id)) ?? []);
  }
}

function newLeg(from: SimRecord, to: SimRecord): LoopLeg | undefined {
  if (!from.device || !from.isPresent || !to.device || !to.isPresent || to.phoneNumber === undefined)
    return undefined;
  return {
    from: from._id,
    to: to._id,
    fromDevice: from.device,
    toDevice: to.device,
    ...(from.subscriptionId !== undefined && { subscriptionId: from.subscriptionId }),
    number: to.phoneNumber,
    nonce: newNonce(),
  };
}
