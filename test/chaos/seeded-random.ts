import { seededRandom } from 'messaging-gateway-phone';

/** Reproducible random values. */
export class SeededRandom {
  private readonly random: () => number;

  constructor(private readonly seed: number) {
    this.random = seededRandom(seed);
  }

  /** An independent generator for one part of a run. */
  branch(name: string): SeededRandom {
    let hash = this.seed;
    for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    return new SeededRandom(hash);
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.random() < probability;
  }

  between(min: number, max: number): number {
    return min + this.random() * (max - min);
  }

  /** An integer between both bounds, inclusive. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  /** @throws RangeError if there are no items. */
  pick<T>(items: readonly T[]): T {
    const index = Math.floor(this.random() * items.length);
    if (index >= items.length) throw new RangeError('nothing to pick from');
    return items[index] as T;
  }

  shuffle<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, place: this.random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }
}
