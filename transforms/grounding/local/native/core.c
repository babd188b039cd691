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
        PyObject *claim = PyList_GET_ITEM(claims, i), *forms, *kinds;
        if (!PyTuple_Check(claim)) {
            PyErr_SetString(PyExc_TypeError, "a claim must be a tuple of forms and kinds");
            return -1;
        }
        if (!PyArg_ParseTuple(claim, "O!O!", &PyList_Type, &forms,
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

/* ---- The pieces of texts between white space ------------------------------------------------- */

typedef struct {
    uint64_t hash;
    PyObject *piece, *value; /* NULL in an empty slot */
} PieceSlot;

typedef struct {
    PyObject_HEAD
    PyObject *read;
    Py_ssize_t used, max_pieces, max_chars;
    size_t mask;
    PieceSlot *slots;
} PieceTable;

enum { FIRST_SLOTS = 1024 };

static int
equals(PyObject *piece, int kind, const void *data, Py_ssize_t start, Py_ssize_t chars)
{
    if (PyUnicode_GET_LENGTH(piece) != chars) {
        return 0;
    }
    int own_kind = (int)PyUnicode_KIND(piece);
    const void *own = PyUnicode_DATA(piece);
    if (own_kind == kind) {
        return memcmp(own, (const char *)data + start * kind, (size_t)(chars * kind)) == 0;
    }
    for (Py_ssize_t i = 0; i < chars; i++) {
        if (PyUnicode_READ(own_kind, own, i) != PyUnicode_READ(kind, data, start + i)) {
            return 0;
        }
    }
    return 1;
}

static PieceSlot *
find_piece(const PieceTable *table, uint64_t hash, int kind, const void *data, Py_ssize_t start,
           Py_ssize_t chars)
{
    size_t place = (size_t)hash & table->mask;
    for (;; place = (place + 1) & table->mask) {
        PieceSlot *slot = &table->slots[place];
        if (slot->piece == NULL ||
            (slot->hash == hash && equals(slot->piece, kind, data, start, chars))) {
            return slot;
        }
    }
}

/* Empty the table. What it held is released last, since that may run other code. */
static int
empty_table(PieceTable *table)
{
    PieceSlot *old = table->slots;
    size_t slots = old ? table->mask + 1 : 0;
    table->slots = NULL;
    table->used = 0;
    table->mask = FIRST_SLOTS - 1;
    int status = NEW(table->slots, FIRST_SLOTS) ? 0 : -1;
    for (size_t i = 0; i < slots; i++) {
        Py_XDECREF(old[i].piece);
        Py_XDECREF(old[i].value);
    }
    PyMem_Free(old);
    return status;
}

static int
grow_table(PieceTable *table)
{
    PieceSlot *old = table->slots, *slots;
    size_t mask = table->mask * 2 + 1;
    if (!NEW(slots, mask + 1)) {
        return -1;
    }
    for (size_t i = 0; i <= table->mask; i++) {
        if (old[i].piece != NULL) {
            size_t place = (size_t)old[i].hash & mask;
            while (slots[place].piece != NULL) {
                place = (place + 1) & mask;
            }
            slots[place] = old[i];
        }
    }
    table->slots = slots;
    table->mask = mask;
    PyMem_Free(old);
    return 0;
}

/* Have Python code read a piece, and remember what it returns; it may use this table itself. */
static PyObject *
read_piece(PieceTable *table, uint64_t hash, PyObject *text, Py_ssize_t start, Py_ssize_t end)
{
    PyObject *piece = PyUnicode_Substring(text, start, end);
    PyObject *value = piece ? PyObject_CallOneArg(table->read, piece) : NULL;
    if (value != NULL && !(PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 3 &&
                           PyTuple_CheckExact(PyTuple_GET_ITEM(value, 0)) &&
                           PyBytes_CheckExact(PyTuple_GET_ITEM(value, 1)))) {
        PyErr_SetString(PyExc_TypeError, "a piece must be read into forms, kinds and features");
        Py_CLEAR(value);
    }
    if (value == NULL || end - start > table->max_chars) {
        Py_XDECREF(piece);
        return value;
    }
    if ((table->used >= table->max_pieces && empty_table(table) < 0) ||
        ((size_t)table->used * 2 > table->mask && grow_table(table) < 0)) {
        Py_DECREF(piece);
        Py_DECREF(value);
        return PyErr_NoMemory();
    }
    PieceSlot *slot = find_piece(table, hash, (int)PyUnicode_KIND(text), PyUnicode_DATA(text),
                                 start, end - start);
    if (slot->piece == NULL) {
        *slot = (PieceSlot){hash, piece, Py_NewRef(value)};
        table->used++;
    } else {
        Py_DECREF(piece);
    }
    return value;
}

/* Return what the pieces of a text between white space are read into, in order. */
static PyObject *
values_in(PieceTable *table, PyObject *text)
{
    int kind = (int)PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t chars = PyUnicode_GET_LENGTH(text), place = 0;
    PyObject *values = PyList_New(0);
    while (values != NULL) {
        while (place < chars && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, place))) {
            place++;
        }
        if (place == chars) {
            break;
        }
        Py_ssize_t start = place;
        uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a, of code points */
        for (; place < chars; place++) {
            Py_UCS4 character = PyUnicode_READ(kind, data, place);
            if (Py_UNICODE_ISSPACE(character)) {
                break;
            }
            hash = (hash ^ character) * 0x100000001B3u;
        }
        hash ^= hash >> 32;
        PieceSlot *slot = find_piece(table, hash, kind, data, start, place - start);
        PyObject *value = slot->piece ? Py_NewRef(slot->value)
                                      : read_piece(table, hash, text, start, place);
        if (value == NULL || PyList_Append(values, value) < 0) {
            Py_CLEAR(values);
        }
        Py_XDECREF(value);
    }
    return values;
}

PyDoc_STRVAR(words_doc,
"words(text)\n--\n\n"
"Return the forms, the kinds and the features of the pieces of a text, each in order.");

static PyObject *
words(PieceTable *table, PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text must be a str");
        return NULL;
    }
    PyObject *values = values_in(table, text);
    if (values == NULL) {
        return NULL;
    }
    Py_ssize_t count = PyList_GET_SIZE(values), forms_count = 0, kinds_count = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *value = PyList_GET_ITEM(values, i);
        forms_count += PyTuple_GET_SIZE(PyTuple_GET_ITEM(value, 0));
        kinds_count += PyBytes_GET_SIZE(PyTuple_GET_ITEM(value, 1));
    }
    PyObject *forms = PyList_New(forms_count), *features = PyList_New(count);
    PyObject *kinds = PyBytes_FromStringAndSize(NULL, kinds_count), *result = NULL;
    if (forms != NULL && kinds != NULL && features != NULL) {
        char *kind = PyBytes_AS_STRING(kinds);
        Py_ssize_t place = 0;
        for (Py_ssize_t i = 0; i < count; i++) {
            PyObject *value = PyList_GET_ITEM(values, i), *own = PyTuple_GET_ITEM(value, 0);
            for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(own); k++) {
                PyList_SET_ITEM(forms, place++, Py_NewRef(PyTuple_GET_ITEM(own, k)));
            }
            PyObject *own_kinds = PyTuple_GET_ITEM(value, 1);
            memcpy(kind, PyBytes_AS_STRING(own_kinds), (size_t)PyBytes_GET_SIZE(own_kinds));
            kind += PyBytes_GET_SIZE(own_kinds);
            PyList_SET_ITEM(features, i, Py_NewRef(PyTuple_GET_ITEM(value, 2)));
        }
        result = PyTuple_Pack(3, forms, kinds, features);
    }
    Py_XDECREF(forms);
    Py_XDECREF(kinds);
    Py_XDECREF(features);
    Py_DECREF(values);
    return result;
}

static int
traverse_table(PieceTable *table, visitproc visit, void *arg)
{
    Py_VISIT(table->read);
    for (size_t i = 0; table->slots != NULL && i <= table->mask; i++) {
        Py_VISIT(table->slots[i].value);
    }
    return 0;
}

static int
clear_table(PieceTable *table)
{
    Py_CLEAR(table->read);
    return 0;
}

static void
free_table(PieceTable *table)
{
    PyObject_GC_UnTrack(table);
    clear_table(table);
    for (size_t i = 0; table->slots != NULL && i <= table->mask; i++) {
        Py_XDECREF(table->slots[i].piece);
        Py_XDECREF(table->slots[i].value);
    }
    PyMem_Free(table->slots);
    Py_TYPE(table)->tp_free((PyObject *)table);
}

static PyObject *
new_table(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named))
{
    PyObject *read;
    Py_ssize_t max_pieces, max_chars;
    if (!PyArg_ParseTuple(args, "Onn", &read, &max_pieces, &max_chars)) {
        return NULL;
    }
    PieceTable *table = (PieceTable *)type->tp_alloc(type, 0);
    if (table != NULL) {
        table->read = Py_NewRef(read);
        table->max_pieces = max_pieces;
        table->max_chars = max_chars;
        if (empty_table(table) < 0) {
            Py_DECREF(table);
            return PyErr_NoMemory();
        }
    }
    return (PyObject *)table;
}

static PyMethodDef table_methods[] = {
    {"words", (PyCFunction)words, METH_O, words_doc},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject table_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "core.PieceTable",
    .tp_doc = "PieceTable(read, max_pieces, max_chars): remember what pieces of texts are read into.",
    .tp_basicsize = sizeof(PieceTable),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_table,
    .tp_dealloc = (destructor)free_table,
    .tp_traverse = (traverseproc)traverse_table,
    .tp_clear = (inquiry)clear_table,
    .tp_methods = table_methods,
};

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
    PyObject *created = PyModule_Create(&module);
    if (created != NULL && PyModule_AddType(created, &table_type) < 0) {
        Py_CLEAR(created);
    }
    return created;
}
