import type { Translation } from '../catalogue';

export default {
  title: 'API-Schlüssel',
} satisfies Translation['apiKeys'];
