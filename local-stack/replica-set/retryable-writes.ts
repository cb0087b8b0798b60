import { type Document } from 'bson';

/** Drivers repeat a write once, soon. */
const MAX_REMEMBERED = 10_000;

/** The answers of writes by session and number, so that a repeated write is answered again instead of being done again. */
export class RetryableWrites {
  private readonly answers = new Map<string, Promise<Document>>();

  /** @param write its failure is not remembered: a repeated write is done. */
  run(session: string, number: string, write: () => Promise<Document>): Promise<Document> {
    const key = `${session} ${number}`;
    const known = this.answers.get(key);
    if (known) return known;
    const answer = write();
    this.answers.set(key, answer);
    answer.catch(() => this.answers.delete(key));
    const [oldest] = this.answers.keys();
    if (this.answers.size > MAX_REMEMBERED && oldest !== undefined) this.answers.delete(oldest);
    return answer;
  }
}
