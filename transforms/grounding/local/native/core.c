/* The native core: what takes the checker by words most of its time, with the same results.

   `compare` counts what facts have of claims; `PieceTable` remembers what was read in the pieces
   of texts. The Python code of scoring.py and words.py is the reference: every number here must
   equal its number. Without this module, that code does the work.

   Strings are compared as Python compares them, and white space is what `str.split` splits at, so
   that all of Unicode is treated alike. The GIL is held all the time, except while Python code
   reads a new piece. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { NUMBER = 2, NAME = 3 }; /* as in words.TokenKind; 0 is a function word */

/* ---- Forms and pairs as small integers ------------------------------------------------------ */

typedef struct {
    Py_hash_t hash;
    PyObject *form; /* borrowed: the caller holds the claims */
    int id;
} FormSlot;

typedef struct {
    uint64_t pair; /* the ids of two adjacent forms, plus one; 0 is an empty slot */
    int id;
} PairSlot;

/* All that is known about the claims and facts of one answer. Arrays of facts have a row for each
   fact, with a byte for each form or pair of the claims: whether the fact has it. */
typedef struct {
    Py_ssize_t claims, tokens, facts, forms, pairs, longest;
    size_t mask; /* of both tables, whose sizes are powers of two */
    FormSlot *form_table;
    PairSlot *pair_table;
    Py_ssize_t *claim_starts, *fact_starts; /* of the tokens; one more than there are claims */
    int *claim_forms;                       /* the form of each token of the claims */
    int *claim_pairs;                       /* the pair that begins at each of them, or -1 */
    const unsigned char **kinds;            /* of each claim's tokens; borrowed */
    int *fact_forms;                        /* of each token of the facts; -1 if in no claim */
    char *has_form, *has_pair;              /* the last row: whether any fact has it */
    int *sizes, *in_window, *ranked;        /* by fact, for the claim that is compared */
    int *wanted;                            /* by form: the last claim with it, counted from 1 */
    int *distinct;                          /* the distinct content of the claim */
    int *seen, *queue;                      /* for the search of the densest window */
} Answer;

static void
free_answer(Answer *a)
{
    void *arrays[] = {a->form_table, a->pair_table, a->claim_starts, a->fact_starts,
                      a->claim_forms, a->claim_pairs, (void *)a->kinds, a->fact_forms,
                      a->has_form, a->has_pair, a->sizes, a->in_window, a->ranked, a->wanted,
                      a->distinct, a->seen, a->queue};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        PyMem_Free(arrays[i]);
    }
}

/* Allocate an array of zeros; at least one element, so that NULL is always an error. */
#define NEW(pointer, count) \
    (((pointer) = PyMem_Calloc((size_t)(count) + 1, sizeof *(pointer))) != NULL)

static FormSlot *
find_form(const Answer *a, PyObject *form, Py_hash_t hash)
{
    size_t place = (size_t)hash & a->mask;
    for (;; place = (place + 1) & a->mask) {
        FormSlot *slot = &a->form_table[place];
        if (slot->form == NULL || slot->form == form) {
            return slot;
        }
        if (slot->hash == hash && PyUnicode_Compare(slot->form, form) == 0) {
            return slot;
        }
    }
}

static PairSlot *
find_pair(const Answer *a, int first, int second)
{
    uint64_t pair = ((uint64_t)first << 32 | (uint32_t)second) + 1;
    size_t place = (size_t)(pair * 0x9E3779B97F4A7C15u >> 32) & a->mask;
    while (a->pair_table[place].pair != 0 && a->pair_table[place].pair != pair) {
        place = (place + 1) & a->mask;
    }
    PairSlot *slot = &a->pair_table[place];
    if (slot->pair == 0) {
        slot->id = -1; /* The caller may fill the slot. */
    }
    return slot;
}

static PyObject *
form_at(PyObject *forms, Py_ssize_t place)
{
    PyObject *form = PyList_GET_ITEM(forms, place);
    if (!PyUnicode_CheckExact(form)) {
        PyErr_SetString(PyExc_TypeError, "a form must be a str");
        return NULL;
    }
    return form;
}

/* ---- Reading the arguments ------------------------------------------------------------------ */

static int
read_claims(Answer *a, PyObject *claims)
{
    a->claims = PyList_GET_SIZE(claims);
    if (!NEW(a->claim_starts, a->claims + 1) || !NEW(a->kinds, a->claims)) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < a->claims; i++) {
        PyObject *forms, *kinds;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(claims, i), "O!O!", &PyList_Type, &forms,
                              &PyBytes_Type, &kinds)) {
            return -1;
        }
        if (PyList_GET_SIZE(forms) != PyBytes_GET_SIZE(kinds)) {
            PyErr_SetString(PyExc_ValueError, "each form must have a kind");
            return -1;
        }
        a->kinds[i] = (const unsigned char *)PyBytes_AS_STRING(kinds);
        a->claim_starts[i + 1] = a->claim_starts[i] + PyList_GET_SIZE(forms);
    }
    a->tokens = a->claim_starts[a->claims];
    if (a->tokens > INT32_MAX / 4) {
        PyErr_SetString(PyExc_ValueError, "the claims are too long");
        return -1;
    }
    size_t slots = 8;
    while (slots < 2 * (size_t)a->tokens) {
        slots *= 2;
    }
    a->mask = slots - 1;
    if (!NEW(a->form_table, slots) || !NEW(a->pair_table, slots) ||
        !NEW(a->claim_forms, a->tokens) || !NEW(a->claim_pairs, a->tokens)) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < a->claims; i++) {
        PyObject *forms = PyTuple_GET_ITEM(PyList_GET_ITEM(claims, i), 0);
        int *own = a->claim_forms + a->claim_starts[i];
        int *own_pairs = a->claim_pairs + a->claim_starts[i];
        Py_ssize_t count = a->claim_starts[i + 1] - a->claim_starts[i];
        for (Py_ssize_t k = 0; k < count; k++) {
            PyObject *form = form_at(forms, k);
            if (form == NULL) {
                return -1;
            }
            Py_hash_t hash = PyObject_Hash(form);
            FormSlot *slot = find_form(a, form, hash);
            if (slot->form == NULL) {
                *slot = (FormSlot){hash, form, (int)a->forms++};
            }
            own[k] = slot->id;
            own_pairs[k] = -1;
            if (k > 0) {
                PairSlot *pair = find_pair(a, own[k - 1], own[k]);
                if (pair->pair == 0) {
                    pair->pair = ((uint64_t)own[k - 1] << 32 | (uint32_t)own[k]) + 1;
                    pair->id = (int)a->pairs++;
                }
                own_pairs[k - 1] = pair->id;
            }
        }
    }
    return 0;
}

static int
read_facts(Answer *a, PyObject *facts)
{
    a->facts = PyList_GET_SIZE(facts);
    if (!NEW(a->fact_starts, a->facts + 1)) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t f = 0; f < a->facts; f++) {
        PyObject *forms = PyList_GET_ITEM(facts, f);
        if (!PyList_Check(forms)) {
            PyErr_SetString(PyExc_TypeError, "a fact must be a list of forms");
            return -1;
        }
        Py_ssize_t count = PyList_GET_SIZE(forms);
        a->fact_starts[f + 1] = a->fact_starts[f] + count;
        a->longest = count > a->longest ? count : a->longest;
    }
    Py_ssize_t most = a->forms > a->pairs ? a->forms : a->pairs;
    if (most > 0 && a->facts + 2 > PY_SSIZE_T_MAX / most) {
        PyErr_NoMemory();
        return -1;
    }
    if (!NEW(a->fact_forms, a->fact_starts[a->facts]) ||
        !NEW(a->has_form, (a->facts + 1) * a->forms) ||
        !NEW(a->has_pair, (a->facts + 1) * a->pairs) || !NEW(a->sizes, a->facts) ||
        !NEW(a->in_window, a->facts) || !NEW(a->ranked, a->facts) || !NEW(a->wanted, a->forms) ||
        !NEW(a->distinct, a->forms) || !NEW(a->seen, a->forms) || !NEW(a->queue, a->longest)) {
        PyErr_NoMemory();
        return -1;
    }
    char *any_form = a->has_form + a->facts * a->forms;
    char *any_pair = a->has_pair + a->facts * a->pairs;
    for (Py_ssize_t f = 0; f < a->facts; f++) {
        PyObject *forms = PyList_GET_ITEM(facts, f);
        int *own = a->fact_forms + a->fact_starts[f];
        char *has_form = a->has_form + f * a->forms, *has_pair = a->has_pair + f * a->pairs;
        Py_ssize_t count = a->fact_starts[f + 1] - a->fact_starts[f];
        for (Py_ssize_t k = 0; k < count; k++) {
            PyObject *form = form_at(forms, k);
            if (form == NULL) {
                return -1;
            }
            FormSlot *slot = find_form(a, form, PyObject_Hash(form));
            own[k] = slot->form ? slot->id : -1;
            if (own[k] < 0) {
                continue;
            }
            has_form[own[k]] = any_form[own[k]] = 1;
            if (k > 0 && own[k - 1] >= 0) {
                int pair = find_pair(a, own[k - 1], own[k])->id;
                if (pair >= 0) {
                    has_pair[pair] = any_pair[pair] = 1;
                }
            }
        }
    }
    return 0;
}

/* ---- Comparing one claim -------------------------------------------------------------------- */

/* Return how many distinct forms of the claim a window of the fact has, at most. */
static int
most_in_window(Answer *a, int claim, Py_ssize_t fact, int window)
{
    const int *forms = a->fact_forms + a->fact_starts[fact];
    Py_ssize_t count = a->fact_starts[fact + 1] - a->fact_starts[fact];
    int size = a->sizes[fact], most = 0, distinct = 0;
    Py_ssize_t first = 0, behind = 0; /* of the queue: the places of wanted forms in the window */
    if (count <= window) {
        return size;
    }
    for (Py_ssize_t k = 0; k < count && most < size; k++) {
        if (forms[k] < 0 || a->wanted[forms[k]] != claim + 1) {
            continue;
        }
        a->queue[behind++] = (int)k;
        distinct += a->seen[forms[k]]++ == 0;
        while (k - a->queue[first] >= window) {
            distinct -= --a->seen[forms[a->queue[first++]]] == 0;
        }
        most = distinct > most ? distinct : most;
    }
    while (first < behind) {
        a->seen[forms[a->queue[first++]]] = 0;
    }
    return most;
}

/* Return (numbers, names, content, found, pairs, in_window): see scoring.Counts. */
static PyObject *
counts(const Answer *a, int claim, Py_ssize_t row, int found, int in_window)
{
    const char *has_form = a->has_form + row * a->forms, *has_pair = a->has_pair + row * a->pairs;
    Py_ssize_t start = a->claim_starts[claim], count = a->claim_starts[claim + 1] - start;
    int numbers = 0, names = 0, content = 0, pairs = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        unsigned char kind = a->kinds[claim][k];
        if (kind && !has_form[a->claim_forms[start + k]]) {
            content++;
            numbers += kind == NUMBER;
            names += kind == NAME && k > 0; /* A capital at the start marks no name. */
        }
        int pair = a->claim_pairs[start + k];
        pairs += pair >= 0 && has_pair[pair];
    }
    return Py_BuildValue("(iiiiii)", numbers, names, content, found, pairs, in_window);
}

/* Rank the first facts by the number of the claim's forms that they have; ties by index. */
static int
rank_facts(Answer *a, int most_candidates)
{
    int ranked = 0;
    for (Py_ssize_t f = 0; f < a->facts; f++) {
        int place = ranked < most_candidates ? ranked++ : ranked;
        while (place > 0 && a->sizes[a->ranked[place - 1]] < a->sizes[f]) {
            if (place < ranked) {
                a->ranked[place] = a->ranked[place - 1];
            }
            place--;
        }
        if (place < ranked) {
            a->ranked[place] = (int)f;
        }
    }
    return ranked;
}

static PyObject *
compare_claim(Answer *a, int claim, int most_candidates, double min_coverage, int window)
{
    int distinct = 0, found = 0, most = 0;
    for (Py_ssize_t k = a->claim_starts[claim]; k < a->claim_starts[claim + 1]; k++) {
        int form = a->claim_forms[k];
        if (a->kinds[claim][k - a->claim_starts[claim]] && a->wanted[form] != claim + 1) {
            a->wanted[form] = claim + 1;
            a->distinct[distinct++] = form;
            found += a->has_form[a->facts * a->forms + form];
        }
    }
    for (Py_ssize_t f = 0; f < a->facts; f++) {
        a->sizes[f] = 0;
        for (int i = 0; i < distinct; i++) {
            a->sizes[f] += a->has_form[f * a->forms + a->distinct[i]];
        }
        a->in_window[f] = -1;
        if (a->sizes[f] > most) {
            a->in_window[f] = most_in_window(a, claim, f, window);
            most = a->in_window[f] > most ? a->in_window[f] : most;
        }
    }
    PyObject *together = counts(a, claim, a->facts, found, most), *alone = PyList_New(0);
    if (together == NULL || alone == NULL) {
        goto error;
    }
    int ranked = rank_facts(a, most_candidates);
    for (int i = 0; i < ranked; i++) {
        int f = a->ranked[i];
        if ((double)a->sizes[f] < min_coverage * (double)distinct) {
            break;
        }
        if (a->in_window[f] < 0) {
            a->in_window[f] = most_in_window(a, claim, f, window);
        }
        PyObject *own = counts(a, claim, f, a->sizes[f], a->in_window[f]);
        PyObject *pair = own ? Py_BuildValue("(iN)", f, own) : NULL;
        if (pair == NULL || PyList_Append(alone, pair) < 0) {
            Py_XDECREF(pair);
            goto error;
        }
        Py_DECREF(pair);
    }
    return Py_BuildValue("(NN)", together, alone);
error:
    Py_XDECREF(together);
    Py_XDECREF(alone);
    return NULL;
}

PyDoc_STRVAR(compare_doc,
"compare(claims, facts, most_candidates, min_coverage, window)\n--\n\n"
"Count what facts have of claims, each given as its forms and their kinds.");

static PyObject *
compare(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *claims, *facts, *result = NULL;
    int most_candidates, window;
    double min_coverage;
    if (!PyArg_ParseTuple(args, "O!O!idi", &PyList_Type, &claims, &PyList_Type, &facts,
                          &most_candidates, &min_coverage, &window)) {
        return NULL;
    }
    Answer a = {0};
    if (read_claims(&a, claims) < 0 || read_facts(&a, facts) < 0) {
        goto done;
    }
    result = PyList_New(a.claims);
    for (Py_ssize_t i = 0; result != NULL && i < a.claims; i++) {
        PyObject *compared = compare_claim(&a, (int)i, most_candidates, min_coverage, window);
        if (compared == NULL) {
            Py_CLEAR(result);
        } else {
            PyList_SET_ITEM(result, i, compared);
        }
    }
done:
    free_answer(&a);
    return result;
}

/* ---- The module ----------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
    {"compare", compare, METH_VARARGS, compare_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "core", "The native core of the checker by words.", -1, functions,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit_core(void)
{
    return PyModule_Create(&module);
}
