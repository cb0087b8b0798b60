export default {
  title: 'Overview',
};
