export default {
  title: 'Campaigns',
};
