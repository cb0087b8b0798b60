import { OperatorError } from '../common/errors';
import type { MigrationsRepository } from './migrations.repository';

/** Token of the check, which is done before any module starts: nothing is written to a database that is refused. */
export const BASELINE_CHECK = Symbol('BASELINE_CHECK');

/**
 * Marks a database without accounts as one that migrations can upgrade.
 * @throws OperatorError if it has accounts and no mark: a build from before the baseline created it.
 */
export async function requireBaseline(
  migrations: Pick<MigrationsRepository, 'db' | 'hasAccounts' | 'hasBaseline' | 'markBaseline'>,
): Promise<void> {
  // Read first: another process that starts now writes the mark before the first account.
  const hasAccounts = await migrations.hasAccounts();
  if (await migrations.hasBaseline()) return;
  if (hasAccounts) {
    throw new OperatorError(
      `The database ${migrations.db.databaseName} belongs to an earlier build, whose data this version does not read: ` +
        'set MONGODB_DATABASE to the name of a new database',
    );
  }
  await migrations.markBaseline();
}
