import type { Translation } from '../catalogue';

export default {
  title: 'Claves de API',
} satisfies Translation['apiKeys'];
