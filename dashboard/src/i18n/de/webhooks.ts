import type { Translation } from '../catalogue';

export default {
  title: 'Webhooks',
} satisfies Translation['webhooks'];
