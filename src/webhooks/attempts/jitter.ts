/** Random jitter, injectable so that tests can control it. */
export abstract class Jitter {
  /** A random number between -1 and 1. */
  abstract next(): number;
}

export class RandomJitter extends Jitter {
  next(): number {
    return Math.random() * 2 - 1;
  }
}
