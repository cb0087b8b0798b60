import { SimCard, type SimCardOptions } from './sim-card';

export interface SimPlace {
  /** Android's id of a SIM in this phone. */
  readonly subscriptionId: number;
  /** From 0. */
  readonly slot: number;
}

export type SimOptions = SimPlace & SimCardOptions;

/** A SIM in a phone. */
export interface SimSlot extends SimPlace {
  readonly card: SimCard;
}

/** The SIMs of a phone. */
export class SimSlots {
  private slots: readonly SimSlot[] = [];
  /** Android gives a SIM that returns the id that it had. */
  private readonly knownIds = new Map<SimCard, number>();
  private lastId = 0;

  /**
   * @param options.defaultId subscription id of the default SIM; by default that of the lowest slot.
   * @param options.ignoresUnknownIds whether messages that name an unknown SIM go out by the default one.
   */
  constructor(private readonly options: { defaultId?: number; ignoresUnknownIds?: boolean } = {}) {}

  /** By slot. */
  get all(): readonly SimSlot[] {
    return this.slots;
  }

  /** The SIM for messages that name none. */
  get default(): SimSlot | undefined {
    const { defaultId } = this.options;
    return (defaultId === undefined ? undefined : this.find(defaultId)) ?? this.slots[0];
  }

  /** The SIM for a message. @param named the subscription id in the message. */
  route(named: number | undefined): SimSlot | undefined {
    const slot = named === undefined ? undefined : this.find(named);
    const usesDefault = named === undefined || this.options.ignoresUnknownIds === true;
    return slot ?? (usesDefault ? this.default : undefined);
  }

  find(subscriptionId: number): SimSlot | undefined {
    return this.slots.find((slot) => slot.subscriptionId === subscriptionId);
  }

  has(slot: SimSlot): boolean {
    return this.slots.includes(slot);
  }

  /**
   * @param place by default the lowest free slot, and the subscription id that the card had in this phone or the next
   * one. @throws Error if the slot, the id or the card is in use.
   */
  insert(card: SimCard, place: Partial<SimPlace> = {}): SimSlot {
    const slot = place.slot ?? this.lowestFreeSlot();
    const subscriptionId = place.subscriptionId ?? this.knownIds.get(card) ?? this.lastId + 1;
    if (this.slots.some((other) => other.card === card)) throw new Error('the SIM is already in this phone');
    if (this.slots.some((other) => other.slot === slot)) throw new Error(`slot ${slot} has a SIM`);
    if (this.find(subscriptionId)) throw new Error(`subscription id ${subscriptionId} is in use`);
    const inserted = { subscriptionId, slot, card };
    this.knownIds.set(card, subscriptionId);
    this.lastId = Math.max(this.lastId, subscriptionId);
    this.slots = [...this.slots, inserted].sort((one, other) => one.slot - other.slot);
    return inserted;
  }

  /** @throws Error for an unknown id. */
  remove(subscriptionId: number): SimCard {
    const removed = this.require(subscriptionId);
    this.slots = this.slots.filter((slot) => slot !== removed);
    return removed.card;
  }

  /** @throws Error for an unknown id. */
  require(subscriptionId: number): SimSlot {
    const slot = this.find(subscriptionId);
    if (slot === undefined) throw new Error(`there is no SIM with subscription id ${subscriptionId}`);
    return slot;
  }

  /** The SIMs as registrations and heartbeats report them. */
  describe(): Record<string, unknown>[] {
    return this.slots.map(({ subscriptionId, slot, card }) => ({
      subscriptionId,
      simSlotIndex: slot,
      ...card.describe(slot),
    }));
  }

  private lowestFreeSlot(): number {
    let slot = 0;
    while (this.slots.some((other) => other.slot === slot)) slot += 1;
    return slot;
  }
}
