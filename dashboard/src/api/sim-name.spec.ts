import { simNameOf } from './sim-name';

const device = {
  _id: 'phone',
  simInfo: {
    lastUpdated: '',
    sims: [
      { subscriptionId: 4, simSlotIndex: 0 },
      { subscriptionId: 5, simSlotIndex: 1 },
      { subscriptionId: 6 },
      { subscriptionId: 7 },
    ],
  },
};

let id = 0;
const sim = (fields: Parameters<typeof simNameOf>[0] | object) => ({
  _id: String(++id),
  device: 'phone',
  ...fields,
});
const namesOf = (...sims: ReturnType<typeof sim>[]) => sims.map((each) => simNameOf(each, device, sims));

describe('the name of a SIM', () => {
  it('is its label, its number, or its network and slot', () => {
    expect(namesOf(sim({ label: 'Work', phoneNumber: '+44', subscriptionId: 4 }))).toEqual([
      { name: 'Work' },
    ]);
    expect(namesOf(sim({ phoneNumber: '+44', subscriptionId: 4 }))).toEqual([{ name: '+44' }]);
    expect(namesOf(sim({ carrierName: 'Example', subscriptionId: 5 }))).toEqual([
      { name: 'Example', slot: 2 },
    ]);
    expect(namesOf(sim({ carrierName: '', subscriptionId: 4 }))).toEqual([{ slot: 1 }]);
    expect(namesOf(sim({ subscriptionId: 9 }))).toEqual([{}]);
    expect(simNameOf(sim({}), undefined, [])).toEqual({});
  });

  it('differs from that of each other SIM of its phone', () => {
    const same = { carrierName: 'Example' };
    expect(namesOf(sim({ ...same, subscriptionId: 4 }), sim({ ...same, subscriptionId: 5 }))).toEqual([
      { name: 'Example', slot: 1 },
      { name: 'Example', slot: 2 },
    ]);
    expect(
      namesOf(sim({ label: 'Work', subscriptionId: 4 }), sim({ label: 'Work', subscriptionId: 5 })),
    ).toEqual([
      { name: 'Work', slot: 1 },
      { name: 'Work', slot: 2 },
    ]);
    expect(
      namesOf(
        sim({ label: 'Work', phoneNumber: '+44', subscriptionId: 6 }),
        sim({ label: 'Work', subscriptionId: 7 }),
      ),
    ).toEqual([
      { name: 'Work', number: '+44' },
      { name: 'Work', androidId: 7 },
    ]);
    expect(namesOf(sim({ ...same, subscriptionId: 6 }), sim({ ...same, subscriptionId: 7 }))).toEqual([
      { name: 'Example', androidId: 6 },
      { name: 'Example', androidId: 7 },
    ]);
    expect(namesOf(sim({ label: 'Work' }), sim({ label: 'Work', device: 'other' }))).toEqual([
      { name: 'Work' },
      { name: 'Work' },
    ]);
  });
});
