import type { RowName } from '../options';
import type { Slice } from '../slice';

/** What the process of the limits is asked, and what it answers. Ids travel as text. */
export interface LimitCalls {
  open: {
    asks: { mongodbUri: string; service: string; own: string; receiverUrl: string };
    answers: null;
  };
  begin: { asks: { row: RowName; user: string; devices: string[] }; answers: null };
  prepare: { asks: { units: number }; answers: null };
  run: { asks: { seconds: number; lanes: number }; answers: Slice };
}

export type LimitCall = {
  [Name in keyof LimitCalls]: { id: number; name: Name; asks: LimitCalls[Name]['asks'] };
}[keyof LimitCalls];

export type LimitAnswer = { id: number; answer: unknown } | { id: number; failure: string };
