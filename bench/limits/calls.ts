import type { RowName } from '../options';
import type { Slice } from '../slice';

/** The messages to and from the limit process. Ids are sent as text. */
export interface LimitCalls {
  open: {
    input: { mongodbUri: string; service: string; own: string; receiverUrl: string };
    output: null;
  };
  begin: { input: { row: RowName; user: string; devices: string[] }; output: null };
  prepare: { input: { units: number }; output: null };
  run: { input: { seconds: number; lanes: number }; output: Slice };
}

export type LimitCall = {
  [Name in keyof LimitCalls]: { id: number; name: Name; input: LimitCalls[Name]['input'] };
}[keyof LimitCalls];

export type LimitAnswer = { id: number; answer: unknown } | { id: number; failure: string };
