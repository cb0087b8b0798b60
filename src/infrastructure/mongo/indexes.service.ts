import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection, mongo } from 'mongoose';
import { OperatorError } from '../../common/errors';
import { formatError } from '../../common/format-error';

/** MongoDB error codes: another index has the name, or the key with other options. */
const CONFLICTS = [85, 86];

/** An index has a new key or new options under its old name. */
export class IndexChanged extends OperatorError {
  constructor(collection: string, reason: string) {
    super(
      `An index of ${collection} differs from the stored index of the same name; give it a new name in its schema: ${reason}`,
    );
  }
}

/** Creates the indexes of the schemas. Others, such as an operator's, stay; a migration drops those that are no longer used. */
@Injectable()
export class Indexes {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Creates declared indexes that are missing.
   * @throws IndexChanged
   */
  async create(): Promise<void> {
    for (const model of Object.values(this.connection.models)) {
      try {
        await this.createOf(model);
      } catch (failure) {
        const isConflict =
          failure instanceof mongo.MongoServerError && CONFLICTS.includes(Number(failure.code));
        throw isConflict ? new IndexChanged(model.collection.name, formatError(failure)) : failure;
      }
    }
  }

  /** With one command, where Mongoose sends one for each index. */
  private async createOf({ collection, schema }: Connection['models'][string]): Promise<void> {
    const indexes = schema.indexes().map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription);
    const db = this.connection.getClient().db(this.connection.name);
    if (indexes.length > 0) await db.collection(collection.name).createIndexes(indexes);
  }
}
