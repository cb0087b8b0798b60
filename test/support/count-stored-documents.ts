import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection, Types } from 'mongoose';
import type { TestService } from './service';

/** The number of documents of an account by collection, without empty collections. */
export async function countStoredDocuments(
  service: TestService,
  { user }: { readonly user: Types.ObjectId },
): Promise<Record<string, number>> {
  const { models } = service.app.get<Connection>(getConnectionToken(), { strict: false });
  const counts = await Promise.all(
    Object.values(models).map(async ({ collection: { name } }) => {
      const count = await service.collection(name).countDocuments({ $or: [{ user }, { _id: user }] });
      return [name, count] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
