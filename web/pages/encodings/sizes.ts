/** Sizes of the models in which the encodings are compared. */
export const heads = 4;
export const headDim = 16;
export const mostWords = 96;
/** Rows of the table of positions, where an encoding learns one: as if trained on texts of this length. */
export const trainedLength = 64;
/** How far the curve goes to either side: as far as that table does. */
export const reach = 31;
