import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection, Types } from 'mongoose';
import type { TestService } from './service';

/** How many documents of an account the database holds, by collection; without those that hold none. */
export async function storedOf(
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
