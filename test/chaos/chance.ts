import { seededRandom } from '../../tools/virtual-phone/seeded-random';

/** Chance that is the same for the same seed. */
export class Chance {
  private readonly random: () => number;

  constructor(private readonly seed: number) {
    this.random = seededRandom(seed);
  }

  /** Chance of its own for one part of a run, which other parts do not shift. */
  branch(name: string): Chance {
    let mixed = this.seed;
    for (const character of name) mixed = (Math.imul(mixed, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    return new Chance(mixed);
  }

  /** Whether something with this probability happens. */
  happens(probability: number): boolean {
    return this.random() < probability;
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  /** Both ends included. */
  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** @throws RangeError when there is nothing to pick from. */
  pick<T>(from: readonly T[]): T {
    const index = Math.floor(this.random() * from.length);
    if (index >= from.length) throw new RangeError('nothing to pick from');
    return from[index] as T;
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, place: this.random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }
}
