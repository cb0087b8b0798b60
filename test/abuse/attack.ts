import type { Records } from '../../bench/records';
import type { Installation } from '../chaos/installation';
import type { ServiceRole } from '../chaos/service-process';

/** What one measurement of an attack came to: a line of the table. */
export interface Finding {
  readonly attack: string;
  /** What the attacker spends, such as requests and bytes a second; also what was reached of it. */
  readonly cost: string;
  /** What another tenant noticed. */
  readonly effect: string;
  /** What must hold, with its number. */
  readonly bound: string;
  readonly isHeld: boolean;
}

/** The running service and how long an attack may take. */
export interface AttackStage {
  readonly installation: Installation;
  /** Of the first API process. */
  readonly apiUrl: string;
  /** Opens the account of the tenant who is not attacked. */
  readonly apiKey: string;
  /** The short form: less time, the same bounds. */
  readonly isShort: boolean;
  /** The database, past the service. */
  readonly records: Records;
  readonly say: (text: string) => void;
}

/** One attack on the built service. All load goes to loopback addresses and is bounded in number and time. */
export interface Attack {
  readonly name: string;
  /** The processes it is run against, one each. */
  readonly roles: readonly ServiceRole[];
  readonly environment?: Readonly<Record<string, string>>;
  /** For Node, such as `--max-old-space-size=256`. */
  readonly nodeArguments?: readonly string[];
  /** @throws Error when it could not be made; that is not the same as a bound that is broken. */
  run(stage: AttackStage): Promise<Finding[]>;
}
