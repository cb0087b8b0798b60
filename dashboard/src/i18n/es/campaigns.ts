import type { Translation } from '../catalogue';

export default {
  title: 'Campañas',
} satisfies Translation['campaigns'];
