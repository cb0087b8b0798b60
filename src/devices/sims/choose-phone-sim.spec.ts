import { Types } from 'mongoose';
import { choosePhoneSim } from './choose-phone-sim';
import { defaultKey } from './sim-report';
import type { SimRecord } from './schemas/sim.schema';

const PHONE = new Types.ObjectId();
const NOW = new Date();

function sim(subscriptionId: number | undefined, fields: Partial<SimRecord> = {}): SimRecord {
  return {
    _id: new Types.ObjectId(),
    user: new Types.ObjectId(),
    key: subscriptionId === undefined ? defaultKey(PHONE) : `key ${subscriptionId}`,
    device: PHONE,
    isPresent: true,
    enabled: true,
    seenAt: NOW,
    createdAt: NOW,
    updatedAt: NOW,
    ...(subscriptionId !== undefined && { subscriptionId, simSlotIndex: subscriptionId }),
    ...fields,
  };
}
const limited = { limits: { messagesPerDay: 1 } };

describe('choosePhoneSim', () => {
  it('leaves the choice to a phone without records, or with several SIMs without limits', () => {
    expect(choosePhoneSim({}, [], undefined)).toEqual({});
    expect(choosePhoneSim({}, [], 1)).toEqual({});
    expect(
      choosePhoneSim({ defaultSim: 2 }, [sim(1), sim(2, { limits: { timeZone: 'UTC' } })], undefined),
    ).toEqual({});
  });

  it('takes the only SIM, without naming it to the phone', () => {
    const [only, own] = [sim(1), sim(undefined)];
    expect(choosePhoneSim({}, [only], undefined)).toEqual({ sim: only });
    expect(choosePhoneSim({}, [own], undefined)).toEqual({ sim: own });
    expect(choosePhoneSim({}, [own], 3)).toEqual({ sim: own });
  });

  it('takes the SIM that the request names', () => {
    const [one, two] = [sim(1, limited), sim(2)];
    expect(choosePhoneSim({ defaultSim: 1 }, [one, two], 2)).toEqual({ sim: two });
    expect(choosePhoneSim({}, [one, two], 3)).toEqual({ reason: 'sim_absent' });
    const off = sim(1, { enabled: false });
    expect(choosePhoneSim({}, [off, two], 1)).toEqual({ reason: 'sim_disabled', sim: off._id });
  });

  it('takes the default SIM, else the lowest slot, if one has limits', () => {
    const sims = [sim(3), sim(1, limited), sim(2)];
    expect(choosePhoneSim({ defaultSim: 2 }, sims, undefined)).toEqual({ sim: sims[2], subscriptionId: 2 });
    expect(choosePhoneSim({}, sims, undefined)).toEqual({ sim: sims[1], subscriptionId: 1 });
    expect(choosePhoneSim({ defaultSim: 9 }, sims, undefined)).toEqual({ sim: sims[1], subscriptionId: 1 });
  });

  it('passes over disabled SIMs, and waits if all are', () => {
    const [off, on] = [sim(1, { enabled: false }), sim(2)];
    expect(choosePhoneSim({ defaultSim: 1 }, [off, on], undefined)).toEqual({ sim: on, subscriptionId: 2 });
    const both = [off, sim(2, { enabled: false })];
    expect(choosePhoneSim({ defaultSim: 2 }, both, undefined)).toEqual({
      reason: 'sim_disabled',
      sim: both[1]?._id,
    });
    expect(choosePhoneSim({}, [off], undefined)).toEqual({ reason: 'sim_disabled', sim: off._id });
  });
});
