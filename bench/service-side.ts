import type { BenchOptions } from './options';
import { type ProfileSummary, summarise } from './profile';
import type { RowContext } from './row-context';
import type { ActiveRow } from './rows/row';
import type { Side, Slice } from './slice';
import { ROLES } from './workbench';

const MAX_PROFILE_ENTRIES = 25;

/** The side of a row that is a build of the service, and what its processes did. */
export class ServiceSide implements Side {
  /** Profiles of the last turn, by process. */
  readonly profiles = new Map<string, ProfileSummary>();
  /** Database commands per unit of the last turn, by name and collection. */
  commands: Readonly<Record<string, number>> = {};

  /** @param pauseOthers pauses the other builds. */
  constructor(
    private readonly row: ActiveRow,
    private readonly control: RowContext['control'],
    private readonly options: BenchOptions,
    private readonly pauseOthers: () => void,
  ) {}

  async prepare(units: number): Promise<void> {
    this.pauseOthers();
    const { control, row } = this;
    const { isProfiled, countsCommands, runsAllProcesses } = this.options;
    control.run(runsAllProcesses ? ROLES : ['api', ...row.roles]);
    // Before the row prepares, which may pause a process until it runs.
    if (countsCommands) await control.takeCommands(row.roles);
    if (isProfiled) await control.startProfiles(row.roles);
    await row.side.prepare(units);
  }

  async run(seconds: number, lanes: number): Promise<Slice> {
    const { control, row } = this;
    const { isProfiled, countsCommands } = this.options;
    const slice = await row.side.run(seconds, lanes);
    for (const [process, profile] of isProfiled ? await control.stopProfiles(row.roles) : [])
      this.profiles.set(process, summarise(profile, MAX_PROFILE_ENTRIES));
    const counts = countsCommands ? await control.takeCommands(row.roles) : {};
    this.commands = Object.fromEntries(
      Object.entries(counts).map(([command, count]) => [command, count / slice.units]),
    );
    return slice;
  }
}
