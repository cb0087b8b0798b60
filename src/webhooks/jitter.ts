/** Chance, as a dependency: so that tests can set it. */
export abstract class Jitter {
  /** A number between -1 and 1, all of them as likely. */
  abstract next(): number;
}

export class RandomJitter extends Jitter {
  next(): number {
    return Math.random() * 2 - 1;
  }
}
