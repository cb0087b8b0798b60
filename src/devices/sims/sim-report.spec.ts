import { Types } from 'mongoose';
import type { SimInfoEntry } from '../store/device.schema';
import { defaultKey, isUpToDate, keyedReports, planReport } from './sim-report';
import type { SimRecord } from './schemas/sim.schema';

const PHONE = new Types.ObjectId();
const OTHER_PHONE = new Types.ObjectId();
const ICC = '8949020000000000001';
const NOW = new Date();

function record(fields: Partial<SimRecord>): SimRecord {
  return {
    _id: new Types.ObjectId(),
    user: new Types.ObjectId(),
    key: `icc:${ICC}`,
    device: PHONE,
    isPresent: true,
    enabled: true,
    seenAt: NOW,
    createdAt: NOW,
    updatedAt: NOW,
    ...fields,
  };
}
const inSlot = (subscriptionId: number, fields: Partial<SimRecord> = {}) =>
  record({ subscriptionId, key: `${PHONE.toHexString()}:${subscriptionId}`, ...fields });

const plan = (sims: SimInfoEntry[], known: SimRecord[]) =>
  planReport(PHONE, keyedReports(PHONE, sims), known);
const check = (sims: SimInfoEntry[], present: SimRecord[]) => isUpToDate(keyedReports(PHONE, sims), present);

describe('a report of SIMs', () => {
  it.each([
    ['nineteen digits', ICC, ICC],
    ['with the filler', `${ICC}F`, ICC],
    ['nothing, as for ordinary apps', '', undefined],
    ['the first digits only', '894902', undefined],
    ['text', 'unknown', undefined],
  ])('has an ICCID: %s', (_, iccId, stored) => {
    const [report] = keyedReports(PHONE, [{ subscriptionId: 1, iccId }]);
    expect(report?.sim.iccId).toBe(stored);
    expect(report?.keys).toHaveLength(stored === undefined ? 1 : 2);
  });

  it('lists each SIM once, by slot', () => {
    const sims = [
      { subscriptionId: 5, simSlotIndex: 1 },
      { subscriptionId: 7, simSlotIndex: 0 },
      { subscriptionId: 5, simSlotIndex: 2 },
    ];
    expect(keyedReports(PHONE, sims).map(({ sim }) => sim.subscriptionId)).toEqual([7, 5]);
    expect(keyedReports(PHONE, [])).toEqual([{ sim: {}, keys: [defaultKey(PHONE)] }]);
  });

  it('changes nothing if it says what is stored', () => {
    const stored = inSlot(1, { carrierName: 'Example', simSlotIndex: 0 });
    expect(check([{ subscriptionId: 1, carrierName: 'Example' }], [stored])).toBe(true);
    expect(check([{ subscriptionId: 1, carrierName: 'Other' }], [stored])).toBe(false);
    expect(check([{ subscriptionId: 1, iccId: ICC }], [stored])).toBe(false);
    expect(check([{ subscriptionId: 2 }], [stored])).toBe(false);
    expect(check([], [stored])).toBe(false);
    expect(check([], [])).toBe(true);
    expect(check([], [record({ key: defaultKey(PHONE) })])).toBe(true);
  });

  it('adds a new SIM, and marks one that is gone', () => {
    const gone = inSlot(1);
    const { inserted, updated, absent } = plan([{ subscriptionId: 2, iccId: ICC }], [gone]);
    expect(inserted).toEqual([{ subscriptionId: 2, iccId: ICC, key: `icc:${ICC}` }]);
    expect([updated, absent]).toEqual([[], [gone]]);
  });

  it('moves a card from another phone', () => {
    const card = record({ iccId: ICC, device: OTHER_PHONE, subscriptionId: 1 });
    const { updated, inserted } = plan([{ subscriptionId: 3, iccId: ICC }], [card]);
    expect(updated).toEqual([
      { record: card, set: { subscriptionId: 3, iccId: ICC, key: `icc:${ICC}` }, isNew: true },
    ]);
    expect(inserted).toEqual([]);
  });

  it('learns the ICCID of a SIM, and keeps it when the phone does not tell it any more', () => {
    const stored = inSlot(1);
    const learned = plan([{ subscriptionId: 1, iccId: ICC }], [stored]);
    expect(learned.updated).toMatchObject([{ record: stored, set: { key: `icc:${ICC}` }, isNew: false }]);
    const known = record({ iccId: ICC, subscriptionId: 1 });
    expect(plan([{ subscriptionId: 1 }], [known]).updated).toMatchObject([
      { record: known, set: { key: known.key } },
    ]);
  });

  it('merges a SIM into the record that its ICCID already has', () => {
    const card = record({ iccId: ICC, device: OTHER_PHONE, subscriptionId: 9 });
    const duplicate = inSlot(1);
    const { updated, absent } = plan([{ subscriptionId: 1, iccId: ICC }], [duplicate, card]);
    expect(updated).toMatchObject([{ record: card, duplicate, isNew: true }]);
    expect(absent).toEqual([]);
  });

  it('distinguishes two cards that had the same subscription id', () => {
    const other = record({ iccId: '8949020000000000002', key: 'icc:8949020000000000002', subscriptionId: 1 });
    const { inserted, absent } = plan([{ subscriptionId: 1, iccId: ICC }], [other]);
    expect(inserted).toMatchObject([{ key: `icc:${ICC}` }]);
    expect(absent).toEqual([other]);
  });

  it('continues the record of a phone that reported no SIMs in its first one', () => {
    const own = record({ key: defaultKey(PHONE), limits: { messagesPerDay: 5 } });
    const sims = [
      { subscriptionId: 2, simSlotIndex: 1 },
      { subscriptionId: 1, simSlotIndex: 0 },
    ];
    const { updated, inserted } = plan(sims, [own]);
    expect(updated).toMatchObject([{ record: own, set: { subscriptionId: 1 } }]);
    expect(inserted).toMatchObject([{ subscriptionId: 2 }]);
    const none = plan([], [inSlot(1), record({ key: defaultKey(PHONE), isPresent: false })]);
    expect(none.updated).toMatchObject([{ isNew: true, set: { key: defaultKey(PHONE) } }]);
    expect(plan([], [inSlot(1)])).toMatchObject({ inserted: [], updated: [] });
  });
});
