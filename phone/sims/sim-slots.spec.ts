import { numberedSims } from './numbered-sims';
import { SimCard } from './sim-card';
import { SimSlots } from './sim-slots';

describe('SimSlots', () => {
  const placesOf = (slots: SimSlots) => slots.all.map(({ slot, subscriptionId }) => [slot, subscriptionId]);

  it('gives a SIM the lowest free slot and a new id, and one that returns its old id', () => {
    const slots = new SimSlots();
    const [first, second] = [new SimCard(), new SimCard()];
    slots.insert(first);
    slots.insert(second);
    slots.remove(1);
    slots.insert(new SimCard());
    expect(placesOf(slots)).toEqual([
      [0, 3],
      [1, 2],
    ]);
    slots.remove(3);
    expect(slots.insert(first)).toMatchObject({ slot: 0, subscriptionId: 1 });
  });

  it('sends by the lowest slot, or by the chosen SIM while it is there', () => {
    const slots = new SimSlots({ defaultId: 7 });
    expect(slots.default).toBeUndefined();
    slots.insert(new SimCard(), { slot: 1 });
    slots.insert(new SimCard(), { slot: 0, subscriptionId: 3 });
    expect(slots.default?.subscriptionId).toBe(3);
    slots.insert(new SimCard(), { slot: 2, subscriptionId: 7 });
    expect(slots.default?.subscriptionId).toBe(7);
    slots.remove(7);
    expect(slots.default?.subscriptionId).toBe(3);
  });

  it('routes a message that names an unknown SIM nowhere, or to the default SIM', () => {
    for (const ignoresUnknownIds of [false, true]) {
      const slots = new SimSlots({ ignoresUnknownIds });
      const { card } = slots.insert(new SimCard(), { subscriptionId: 5 });
      expect([undefined, 5, 6].map((named) => slots.route(named)?.card)).toEqual([
        card,
        card,
        ignoresUnknownIds ? card : undefined,
      ]);
    }
  });

  it('rejects a place or a card that is in use, and an unknown id', () => {
    const slots = new SimSlots();
    const { card } = slots.insert(new SimCard());
    expect(() => slots.insert(card)).toThrow('already in this phone');
    expect(() => slots.insert(new SimCard(), { slot: 0 })).toThrow('slot 0');
    expect(() => slots.insert(new SimCard(), { subscriptionId: 1 })).toThrow('subscription id 1 is in use');
    expect(() => slots.remove(2)).toThrow('no SIM with subscription id 2');
    expect(placesOf(slots)).toEqual([[0, 1]]);
  });

  it('describes the SIMs, with the same valid ICCIDs for the same serial', () => {
    const describeSims = (serial: string) => {
      const slots = new SimSlots();
      for (const sim of numberedSims(2, serial, () => ({ carrierName: 'Example' })))
        slots.insert(new SimCard(sim), sim);
      return slots.describe();
    };
    const [first, second] = describeSims('serial-1');
    expect(first).toEqual({
      subscriptionId: 1,
      simSlotIndex: 0,
      iccId: expect.stringMatching(/^\d{18,22}$/) as string,
      carrierName: 'Example',
      displayName: 'SIM 1',
      mcc: '001',
      mnc: '01',
      countryIso: 'de',
      subscriptionType: 'PHYSICAL_SIM',
    });
    expect(second).toMatchObject({ subscriptionId: 2, simSlotIndex: 1, displayName: 'SIM 2' });
    expect(
      new Set([...describeSims('serial-1'), ...describeSims('serial-2')].map(({ iccId }) => iccId)).size,
    ).toBe(4);
  });
});
