import type { Records } from '../../bench/records';
import type { Installation } from '../chaos/installation';
import type { ServiceRole } from '../chaos/service-process';

/** The result of one measurement: a row of the table. */
export interface Finding {
  readonly attack: string;
  /** What the attacker sends, and the responses. */
  readonly cost: string;
  /** The effect on another tenant. */
  readonly effect: string;
  /** The bound that must hold. */
  readonly bound: string;
  readonly passed: boolean;
}

/** The service under attack. */
export interface AttackContext {
  readonly installation: Installation;
  /** The URL of the first API process. */
  readonly apiUrl: string;
  /** The key of the other tenant. */
  readonly apiKey: string;
  /** The short run of CI: less time, the same bounds. */
  readonly isShort: boolean;
  /** Requests to measure: those whose names begin so; all if empty. */
  readonly routes: readonly string[];
  /** Direct access to the database. */
  readonly records: Records;
  /** Ends the limits on attempts at passwords and codes. */
  readonly forgetAttempts: () => Promise<void>;
  readonly log: (text: string) => void;
}

/** One attack on the built service, over loopback addresses only. */
export interface Attack {
  readonly name: string;
  /** The roles of the service processes, one process each. */
  readonly roles: readonly ServiceRole[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Node options, such as `--max-old-space-size=256`. */
  readonly nodeArguments?: readonly string[];
  /** @throws Error if the attack could not be carried out. */
  run(context: AttackContext): Promise<Finding[]>;
}
